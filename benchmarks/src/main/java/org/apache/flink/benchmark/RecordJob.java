// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Objects;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job whose work is to hand records from one task to another; as a rule source, rebalance, sink.
 *
 * <p>The rebalance keeps source and sink apart, so every record is serialized, goes through a
 * network buffer and is deserialized. Both tasks run in one TaskManager: no Netty, no socket.
 */
final class RecordJob implements BenchmarkJob {

    private final JobGraph graph;
    private final long records;
    // Null where nothing is added up.
    private final Long sum;

    private RecordJob(JobGraph graph, long records, Long sum) {
        this.graph = graph;
        this.records = records;
        this.sum = sum;
    }

    /** Describes a job with {@code records} records in all, whatever the parallelism. */
    static <T> RecordJob of(
            RecordSupply<T> supply, TypeInformation<T> type, int parallelism, long records) {
        return expecting(records, supply, type, parallelism, records);
    }

    /** As {@link #of}, for tests: a job that delivers another number than the one expected. */
    @SuppressWarnings("deprecation")
    static <T> RecordJob expecting(
            long expected,
            RecordSupply<T> supply,
            TypeInformation<T> type,
            int parallelism,
            long records) {
        StreamExecutionEnvironment environment =
                LocalCluster.describe(parallelism, Order.class, Order.Step.class);
        environment
                .addSource(new RecordSource<>(supply, records), type)
                .rebalance()
                .addSink(new CountingSink<>());
        return described(environment, expected);
    }

    /** A job with other operators, described in full: its sinks are counting ones. */
    static RecordJob described(StreamExecutionEnvironment environment, long expected) {
        return new RecordJob(environment.getStreamGraph().getJobGraph(), expected, null);
    }

    /** The same with one {@link Sum} among its operators, and what that adds up to. */
    static RecordJob described(StreamExecutionEnvironment environment, long expected, long sum) {
        return new RecordJob(environment.getStreamGraph().getJobGraph(), expected, sum);
    }

    @Override
    public long run(LocalCluster cluster) throws Exception {
        JobExecutionResult result = cluster.run(graph);
        Long delivered = result.getAccumulatorResult(CountingSink.ACCUMULATOR);
        if (delivered == null || delivered != records) {
            throw new IllegalStateException(
                    "The sink got " + delivered + " records instead of " + records + ".");
        }
        Long added = result.getAccumulatorResult(Sum.ACCUMULATOR);
        if (!Objects.equals(added, sum)) {
            throw new IllegalStateException(
                    "The records add up to " + added + ", not " + sum + ".");
        }
        return delivered;
    }
}
