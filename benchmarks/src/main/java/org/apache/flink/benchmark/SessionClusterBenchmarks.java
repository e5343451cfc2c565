// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Jobs of {@link PurchaseJobBenchmarks} and {@link SerializationFrameworkMiniBenchmarks} on a
 * session cluster that has run {@link OtherJobs} before.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 12, time = 1, timeUnit = TimeUnit.SECONDS)
@Measurement(iterations = 4, time = 1, timeUnit = TimeUnit.SECONDS)
public class SessionClusterBenchmarks {

    /** Marks a job before which {@link ClusterJob} runs the others. */
    interface AfterOtherJobs {}

    @Benchmark
    @OperationsPerInvocation(PurchaseJobBenchmarks.RECORDS)
    public long sessionChain(ChainJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(PurchaseJobBenchmarks.RECORDS)
    public long sessionEventTime(EventTimeJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(PurchaseJobBenchmarks.RECORDS)
    public long sessionHeapState(HeapStateJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(PurchaseJobBenchmarks.RECORDS)
    public long sessionCount(CountJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SerializationFrameworkMiniBenchmarks.ORDERS)
    public long sessionPojo(PojoJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SerializationFrameworkMiniBenchmarks.ORDERS)
    public long sessionTuple(TupleJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SerializationFrameworkMiniBenchmarks.ORDERS)
    public long sessionRow(RowJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SerializationFrameworkMiniBenchmarks.SLOW_ORDERS)
    public long sessionKryo(KryoJob job) throws Exception {
        return job.run();
    }

    /** {@link PurchaseJobBenchmarks.ChainJob}. */
    public static class ChainJob extends PurchaseJobBenchmarks.ChainJob implements AfterOtherJobs {}

    /** {@link PurchaseJobBenchmarks.EventTimeJob}. */
    public static class EventTimeJob extends PurchaseJobBenchmarks.EventTimeJob
            implements AfterOtherJobs {}

    /** {@link PurchaseJobBenchmarks.HeapStateJob}. */
    public static class HeapStateJob extends PurchaseJobBenchmarks.HeapStateJob
            implements AfterOtherJobs {}

    /** {@link PurchaseJobBenchmarks.CountJob}. */
    public static class CountJob extends PurchaseJobBenchmarks.CountJob implements AfterOtherJobs {}

    /** {@link SerializationFrameworkMiniBenchmarks.PojoJob}. */
    public static class PojoJob extends SerializationFrameworkMiniBenchmarks.PojoJob
            implements AfterOtherJobs {}

    /** {@link SerializationFrameworkMiniBenchmarks.TupleJob}. */
    public static class TupleJob extends SerializationFrameworkMiniBenchmarks.TupleJob
            implements AfterOtherJobs {}

    /** {@link SerializationFrameworkMiniBenchmarks.RowJob}. */
    public static class RowJob extends SerializationFrameworkMiniBenchmarks.RowJob
            implements AfterOtherJobs {}

    /** {@link SerializationFrameworkMiniBenchmarks.KryoJob}. */
    public static class KryoJob extends SerializationFrameworkMiniBenchmarks.KryoJob
            implements AfterOtherJobs {}
}
