// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.StateBackends;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Records per millisecond through {@link PurchaseJobs}; one invocation is one job. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class PurchaseJobBenchmarks {

    /** Per invocation, all sources together: starting the job is a tenth of it or less. */
    static final int RECORDS = 1_024_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long chain(ChainJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long eventTime(EventTimeJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long heapState(HeapStateJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long rocksState(RocksStateJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long count(CountJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long plain(PlainJob job) throws Exception {
        return job.run();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long nested(NestedJob job) throws Exception {
        return job.run();
    }

    /** On JVMs from 17 on only. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long javaRecords(JavaRecordsJob job) throws Exception {
        return job.run();
    }

    /** Operators that get copies, because objects are not reused. */
    public static class ChainJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.chain(records(RECORDS));
        }
    }

    /** Windows of event time with a POJO as accumulator. */
    public static class EventTimeJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.eventTime(records(RECORDS));
        }
    }

    /** A POJO by key on the heap. */
    public static class HeapStateJob extends StateBackendJob {
        @Override
        String stateBackend() {
            return "MEMORY";
        }

        @Override
        int allRecords() {
            return RECORDS;
        }

        @Override
        BenchmarkJob describe(Path folder) throws IOException {
            return state(stateBackend(), folder, records(RECORDS));
        }
    }

    /** A POJO by key in RocksDB. */
    public static class RocksStateJob extends HeapStateJob {
        @Override
        String stateBackend() {
            return "ROCKS";
        }
    }

    /** Numbers by word, as tuples. */
    public static class CountJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.count(records(RECORDS));
        }
    }

    /** POJOs without a field for Kryo. */
    public static class PlainJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.plain(records(RECORDS));
        }
    }

    /** Java records. */
    public static class JavaRecordsJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.javaRecords(records(RECORDS));
        }
    }

    /** POJOs and lists in POJOs. */
    public static class NestedJob extends ClusterJob {
        @Override
        BenchmarkJob describe() {
            return PurchaseJobs.nested(records(RECORDS));
        }
    }

    static RecordJob state(String backend, Path folder, long records) throws IOException {
        StreamExecutionEnvironment environment = LocalCluster.describe(PurchaseJobs.PARALLELISM);
        StateBackends.use(environment, backend, folder.toUri());
        return PurchaseJobs.state(environment, records);
    }
}
