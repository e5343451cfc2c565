// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation, {@code cpu.time.norm} in ns/op, and the number of
 * measured operations, {@code operations} in ops.
 *
 * <p>CPU time counts all threads: task threads, garbage collector and JIT compiler. A job that gets
 * faster on the clock by keeping a second core busy shows here. With the number of operations,
 * which JMH's own result does not tell, totals of other profilers become values per operation: the
 * faster side does more in an iteration and has more to collect. Used with {@code -prof
 * org.apache.flink.benchmark.CpuTimeProfiler}.
 */
public class CpuTimeProfiler implements InternalProfiler {

    private final com.sun.management.OperatingSystemMXBean process;
    private long nanosAtStart;

    /**
     * Called by JMH.
     *
     * @throws ProfilerException when this JVM does not tell its CPU time
     */
    public CpuTimeProfiler() throws ProfilerException {
        java.lang.management.OperatingSystemMXBean bean =
                ManagementFactory.getOperatingSystemMXBean();
        if (!(bean instanceof com.sun.management.OperatingSystemMXBean)
                || ((com.sun.management.OperatingSystemMXBean) bean).getProcessCpuTime() < 0) {
            throw new ProfilerException("This JVM does not report the CPU time of the process.");
        }
        process = (com.sun.management.OperatingSystemMXBean) bean;
    }

    @Override
    public String getDescription() {
        return "CPU time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        nanosAtStart = process.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long nanos = process.getProcessCpuTime() - nanosAtStart;
        long operations = result.getMetadata().getAllOps();
        if (operations == 0) {
            return Collections.emptyList();
        }
        return List.of(
                new ScalarResult(
                        "cpu.time.norm",
                        (double) nanos / operations,
                        "ns/op",
                        AggregationPolicy.AVG),
                new ScalarResult("operations", operations, "ops", AggregationPolicy.SUM));
    }
}
