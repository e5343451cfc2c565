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
 * Numbers with a key from one task to another, which adds them up by key and window: the windows of
 * the upstream suite, see {@link WindowShape}. The dearer the window, the less the record's way to
 * it matters.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class WindowBenchmarks {

    static final int RECORDS = 2_000_000;

    /** Where a record is in ten windows, or its window is merged with another. */
    static final int SLOW_RECORDS = 300_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long globalWindow(GlobalJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long tumblingWindow(TumblingJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SLOW_RECORDS)
    public long slidingWindow(SlidingJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SLOW_RECORDS)
    public long sessionWindow(SessionJob job) throws Exception {
        return job.run();
    }

    /** Global windows. */
    public static class GlobalJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return WindowJob.keyed(LocalCluster.describe(1), WindowShape.GLOBAL, records(RECORDS));
        }
    }

    /** Tumbling windows. */
    public static class TumblingJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return WindowJob.keyed(
                    LocalCluster.describe(1), WindowShape.TUMBLING, records(RECORDS));
        }
    }

    /** Sliding windows. */
    public static class SlidingJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return WindowJob.keyed(
                    LocalCluster.describe(1), WindowShape.SLIDING, records(SLOW_RECORDS));
        }
    }

    /** Session windows. */
    public static class SessionJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return WindowJob.keyed(
                    LocalCluster.describe(1), WindowShape.SESSION, records(SLOW_RECORDS));
        }
    }
}
