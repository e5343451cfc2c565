// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.Types;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Records per millisecond through a job whose cost is serialization. The names are those of the
 * rows of the published tables.
 *
 * <p>The cluster starts once per fork; job graph and records are made once, before measuring. One
 * invocation is one job, from submission to result; its fixed cost (some 30 ms) is spread over so
 * many records that it is a tenth or less, on the faster side too.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 6, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
public class SerializationFrameworkMiniBenchmarks {

    /** Strings per invocation. */
    static final int HEAVY_STRINGS = 300_000;

    /** Orders per invocation, all subtasks together; each in one of its forms. */
    static final int ORDERS = 1_024_000;

    /** The same where one takes several times as long. */
    static final int SLOW_ORDERS = 512_000;

    @Benchmark
    @OperationsPerInvocation(HEAVY_STRINGS)
    public long serializerHeavyString(HeavyStringJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(ORDERS)
    public long serializerTuple(TupleJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(ORDERS)
    public long serializerPojo(PojoJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(ORDERS)
    public long serializerRow(RowJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SLOW_ORDERS)
    public long serializerKryo(KryoJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(SLOW_ORDERS)
    public long serializerAvro(AvroJob job) throws Exception {
        return job.run();
    }

    /** One source and one sink. */
    public static class HeavyStringJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(JobRecords::heavyStrings, Types.STRING, 1, records(HEAVY_STRINGS));
        }
    }

    // Orders go from four sources to four sinks, each connected with each.

    /** Orders as tuples. */
    public static class TupleJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(JobRecords::tuples, JobRecords.TUPLE, 4, records(ORDERS));
        }
    }

    /** Orders as POJOs. */
    public static class PojoJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(JobRecords::orders, JobRecords.ORDER, 4, records(ORDERS));
        }
    }

    /** Orders as rows. */
    public static class RowJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(JobRecords::rows, JobRecords.ROW, 4, records(ORDERS));
        }
    }

    /** The POJOs once more, given to Kryo: their strings never pass through {@code StringValue}. */
    public static class KryoJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(JobRecords::orders, JobRecords.KRYO_ORDER, 4, records(SLOW_ORDERS));
        }
    }

    /** Orders as Avro records: their strings never pass through {@code StringValue} either. */
    public static class AvroJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return RecordJob.of(
                    JobRecords::avroOrders, JobRecords.avroType(), 4, records(SLOW_ORDERS));
        }
    }
}
