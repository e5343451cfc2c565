// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.FirstField;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Two numbers from each of four sources to the sink that the first of them belongs to: records of 8
 * or 12 bytes, the shapes of the upstream suite. There are ten keys, so the sinks do not get equal
 * shares.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class KeyByBenchmarks {

    /** Per invocation, all sources together. */
    static final int TUPLES = 2_000_000;

    /** The same of arrays, which take longer. */
    static final int ARRAYS = 1_500_000;

    private static final int PARALLELISM = 4;
    private static final int KEYS = 10;

    @Benchmark
    @OperationsPerInvocation(TUPLES)
    public long tupleKeyBy(TupleJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(ARRAYS)
    public long arrayKeyBy(ArrayJob job) throws Exception {
        return job.run();
    }

    /** Key and number as a {@code Tuple2}. */
    public static class TupleJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return tuples(records(TUPLES));
        }
    }

    /** Key and number as an {@code int[]}. */
    public static class ArrayJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return arrays(records(ARRAYS));
        }
    }

    static RecordJob tuples(long records) {
        return job(Tuples::all, Types.TUPLE(Types.INT, Types.INT), records);
    }

    static RecordJob arrays(long records) {
        return job(Arrays::all, PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO, records);
    }

    @SuppressWarnings("deprecation")
    private static <T> RecordJob job(
            RecordSupply<T> supply, TypeInformation<T> type, long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(PARALLELISM);
        FirstField.keyed(environment.addSource(new RecordSource<>(supply, records), type))
                .addSink(new CountingSink<>());
        return RecordJob.described(environment, records);
    }

    private static final class Tuples {
        @SuppressWarnings({"unchecked", "rawtypes"})
        private static final Tuple2<Integer, Integer>[] ALL =
                IntStream.range(0, KEYS).mapToObj(i -> Tuple2.of(i, 1)).toArray(Tuple2[]::new);

        static Tuple2<Integer, Integer>[] all() {
            return ALL;
        }
    }

    private static final class Arrays {
        private static final int[][] ALL =
                IntStream.range(0, KEYS).mapToObj(i -> new int[] {i, 1}).toArray(int[][]::new);

        static int[][] all() {
            return ALL;
        }
    }
}
