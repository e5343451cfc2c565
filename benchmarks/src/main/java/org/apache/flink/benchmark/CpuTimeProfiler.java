// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
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
 * CPU time of the whole process per operation, {@code cpu.time.norm} in ns/op, and what other
 * profilers' numbers have to be read with: the number of measured operations, {@code operations} in
 * ops, and {@code threads.uncounted} in threads.
 *
 * <p>CPU time counts all threads: task threads, garbage collector and JIT compiler. A job that gets
 * faster on the clock by keeping a second core busy shows here. With the number of operations,
 * which JMH's own result does not tell, totals of other profilers become values per operation: the
 * faster side does more in an iteration and has more to collect.
 *
 * <p>JMH's {@code gc} profiler loses what threads allocated that ended in an iteration, as the
 * tasks of a job do, unless the JVM keeps that total (JDK 21 and later, and updates of older ones:
 * JDK-8320375). Without it, {@code threads.uncounted} is the number of threads that were started in
 * the iteration; with it, there is no such number.
 *
 * <p>Used with {@code -prof org.apache.flink.benchmark.CpuTimeProfiler}.
 */
public class CpuTimeProfiler implements InternalProfiler {

    private final com.sun.management.OperatingSystemMXBean process;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final boolean endedThreadsCount;
    private long nanosAtStart;
    private long threadsAtStart;

    /**
     * Called by JMH.
     *
     * @throws ProfilerException when this JVM does not tell its CPU time
     */
    public CpuTimeProfiler() throws ProfilerException {
        this(countsEndedThreads(com.sun.management.ThreadMXBean.class));
    }

    CpuTimeProfiler(boolean endedThreadsCount) throws ProfilerException {
        this.endedThreadsCount = endedThreadsCount;
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
        threadsAtStart = threads.getTotalStartedThreadCount();
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
        List<ScalarResult> results = new ArrayList<>();
        double nanosPerOperation = (double) nanos / operations;
        results.add(
                new ScalarResult(
                        "cpu.time.norm", nanosPerOperation, "ns/op", AggregationPolicy.AVG));
        results.add(new ScalarResult("operations", operations, "ops", AggregationPolicy.SUM));
        if (!endedThreadsCount) {
            long started = threads.getTotalStartedThreadCount() - threadsAtStart;
            results.add(
                    new ScalarResult(
                            "threads.uncounted", started, "threads", AggregationPolicy.SUM));
        }
        return results;
    }

    /** Whether a JVM with that interface tells what all threads allocated, ended ones included. */
    static boolean countsEndedThreads(Class<?> threadBean) {
        return Arrays.stream(threadBean.getMethods())
                .anyMatch(method -> method.getName().equals("getTotalThreadAllocatedBytes"));
    }
}
