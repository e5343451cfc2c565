// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.benchmark.line.LocalCluster;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Numbers of eight bytes from one task to another, which adds them up; the upstream suite's job.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class SumLongsBenchmark {

    static final int RECORDS = 3_000_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long benchmarkCount(SumJob job) throws Exception {
        return job.run();
    }

    /** One source and one window of everything. */
    public static class SumJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return WindowJob.ofLongs(LocalCluster.describe(1), records(RECORDS));
        }
    }
}
