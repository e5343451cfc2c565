// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.benchmark.line.LocalCluster;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Records per millisecond through a job whose cost is serialization.
 *
 * <p>The cluster starts once per fork; job graph and records are made once, before measuring. One
 * invocation is one job, from submission to result; its fixed cost (some 30 ms) is spread over so
 * many records that it is about a tenth or less.
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
    static final int HEAVY_STRINGS = 100_000;

    /** Tuples or POJOs per invocation, all subtasks together. */
    static final int ORDERS = 400_000;

    @Benchmark
    @OperationsPerInvocation(HEAVY_STRINGS)
    public long serializerHeavyString(Cluster cluster, HeavyStringJob job) throws Exception {
        return job.job.run(cluster.cluster);
    }

    @Benchmark
    @OperationsPerInvocation(ORDERS)
    public long serializerTuple(Cluster cluster, TupleJob job) throws Exception {
        return job.job.run(cluster.cluster);
    }

    @Benchmark
    @OperationsPerInvocation(ORDERS)
    public long serializerPojo(Cluster cluster, PojoJob job) throws Exception {
        return job.job.run(cluster.cluster);
    }

    /** The cluster that all invocations of a fork share. */
    @State(Scope.Benchmark)
    public static class Cluster {
        LocalCluster cluster;

        @Setup(Level.Trial)
        public void start() throws Exception {
            cluster = LocalCluster.start();
        }

        @TearDown(Level.Trial)
        public void stop() {
            cluster.close();
        }
    }

    /** One source and one sink. */
    @State(Scope.Benchmark)
    public static class HeavyStringJob {
        RecordJob job;

        @Setup(Level.Trial)
        public void describe() {
            job =
                    RecordJob.of(
                            new JobRecords.HeavyStrings(),
                            JobRecords.HeavyStrings.TYPE,
                            1,
                            HEAVY_STRINGS);
        }
    }

    /** Four sources and four sinks, each connected with each. */
    @State(Scope.Benchmark)
    public static class TupleJob {
        RecordJob job;

        @Setup(Level.Trial)
        public void describe() {
            job =
                    RecordJob.of(
                            new JobRecords.OrderTuples(), JobRecords.OrderTuples.TYPE, 4, ORDERS);
        }
    }

    /** Four sources and four sinks, each connected with each. */
    @State(Scope.Benchmark)
    public static class PojoJob {
        RecordJob job;

        @Setup(Level.Trial)
        public void describe() {
            job = RecordJob.of(new JobRecords.Orders(), JobRecords.Orders.TYPE, 4, ORDERS);
        }
    }
}
