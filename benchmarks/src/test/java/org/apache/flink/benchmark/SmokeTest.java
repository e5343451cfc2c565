// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark with every value of its parameters once, for a moment, through JMH itself. */
class SmokeTest {

    private static final String STRINGS = "StringSerializationBenchmark";
    private static final String COMPARATORS = "StringComparatorBenchmark";
    private static final String JOBS = "SerializationFrameworkMiniBenchmarks";

    /** One job of each kind; {@link WindowJobTest} runs all of them, on one cluster. */
    private static final List<String> SMALL_RECORD_JOBS =
            List.of(
                    "KeyByBenchmarks.tupleKeyBy",
                    "SumLongsBenchmark",
                    "WindowBenchmarks.tumblingWindow",
                    "RocksStateBackendBenchmark");

    private static final String PURCHASES = "PurchaseJobBenchmarks";
    private static final String SESSION = "SessionClusterBenchmarks";
    private static final String CALLS = "RecordSerializationBenchmark";
    private static final String WRITER = "RecordWriterBenchmark";
    private static final String READER = "RecordReaderBenchmark";
    private static final String THROUGHPUT = "StreamNetworkThroughputBenchmarkExecutor";
    private static final String BROADCAST = "StreamNetworkBroadcastThroughputBenchmarkExecutor";
    private static final String LATENCY = "StreamNetworkLatencyBenchmarkExecutor";
    private static final String[] SIZES = {"8", "16", "64", "256", "1024", "32768", "1048576"};
    private static final String[] LENGTHS = {
        "1", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "2049", "16384",
        "1048576"
    };
    private static final String[] KINDS = {"ascii", "latin1", "cyrillic", "cjk", "emoji", "mixed"};

    @TempDir private Path folder;

    @Test
    void suiteHoldsTheBenchmarksOfTheIssue() {
        Set<String> names = new TreeSet<>();
        BenchmarkList.defaultList()
                .getAll(null, List.of())
                .forEach(entry -> names.add(entry.getUsername()));
        String prefix = "org.apache.flink.benchmark.";
        assertThat(names)
                .containsExactly(
                        prefix + "KeyByBenchmarks.arrayKeyBy",
                        prefix + "KeyByBenchmarks.tupleKeyBy",
                        prefix + "MemoryStateBackendBenchmark.stateBackends",
                        prefix + PURCHASES + ".chain",
                        prefix + PURCHASES + ".count",
                        prefix + PURCHASES + ".eventTime",
                        prefix + PURCHASES + ".heapState",
                        prefix + PURCHASES + ".javaRecords",
                        prefix + PURCHASES + ".nested",
                        prefix + PURCHASES + ".plain",
                        prefix + PURCHASES + ".rocksState",
                        prefix + READER + ".read",
                        prefix + CALLS + ".copy",
                        prefix + CALLS + ".read",
                        prefix + CALLS + ".write",
                        prefix + WRITER + ".emit",
                        prefix + "RocksStateBackendBenchmark.stateBackends",
                        prefix + JOBS + ".serializerAvro",
                        prefix + JOBS + ".serializerHeavyString",
                        prefix + JOBS + ".serializerKryo",
                        prefix + JOBS + ".serializerPojo",
                        prefix + JOBS + ".serializerRow",
                        prefix + JOBS + ".serializerTuple",
                        prefix + SESSION + ".sessionChain",
                        prefix + SESSION + ".sessionCount",
                        prefix + SESSION + ".sessionEventTime",
                        prefix + SESSION + ".sessionHeapState",
                        prefix + SESSION + ".sessionKryo",
                        prefix + SESSION + ".sessionPojo",
                        prefix + SESSION + ".sessionRow",
                        prefix + SESSION + ".sessionTuple",
                        prefix + BROADCAST + ".networkBroadcastThroughput",
                        prefix + LATENCY + ".networkLatency1to1",
                        prefix + THROUGHPUT + ".networkThroughput",
                        prefix + COMPARATORS + ".readFory",
                        prefix + COMPARATORS + ".readKryo",
                        prefix + COMPARATORS + ".readNewString",
                        prefix + COMPARATORS + ".readUtf",
                        prefix + COMPARATORS + ".writeFory",
                        prefix + COMPARATORS + ".writeKryo",
                        prefix + COMPARATORS + ".writeMemcpy",
                        prefix + COMPARATORS + ".writeUtf",
                        prefix + STRINGS + ".copy",
                        prefix + STRINGS + ".read",
                        prefix + STRINGS + ".write",
                        prefix + "SumLongsBenchmark.benchmarkCount",
                        prefix + "WindowBenchmarks.globalWindow",
                        prefix + "WindowBenchmarks.sessionWindow",
                        prefix + "WindowBenchmarks.slidingWindow",
                        prefix + "WindowBenchmarks.tumblingWindow");
    }

    @ParameterizedTest
    @CsvSource({"write,serializer", "read,network", "copy,stream"})
    void everyLengthRuns(String method, String view) throws Exception {
        JsonNode results =
                run(
                        moment(STRINGS + "." + method, 0)
                                .param("length", LENGTHS)
                                .param("kind", "cjk")
                                .param("profile", "pure")
                                .param("view", view));
        assertThat(results).hasSize(LENGTHS.length).allSatisfy(SmokeTest::isTimePerOperation);
    }

    @ParameterizedTest
    @CsvSource({
        "write,serializer stream",
        "read,network network-used network-heap deserializer stream",
        "copy,network network-heap deserializer stream"
    })
    void everyKindRunsOnEveryView(String method, String views) throws Exception {
        String[] names = views.split(" ");
        JsonNode results =
                run(
                        moment(STRINGS + "." + method, 0)
                                .param("length", "16")
                                .param("kind", KINDS)
                                .param("profile", "pure")
                                .param("view", names));
        assertThat(results)
                .hasSize(KINDS.length * names.length)
                .allSatisfy(SmokeTest::isTimePerOperation);
    }

    /** A view that threads shared would give wrong strings, or none, within microseconds. */
    @ParameterizedTest
    @CsvSource({"write,serializer", "read,deserializer", "copy,network"})
    void severalThreadsRun(String method, String view) throws Exception {
        JsonNode results =
                run(
                        moment(STRINGS + "." + method, 0)
                                .threads(8)
                                .param("length", "64")
                                .param("kind", "mixed")
                                .param("profile", "pure")
                                .param("view", view));
        assertThat(results).hasSize(1).allSatisfy(SmokeTest::isTimePerOperation);
        assertThat(results.get(0).get("threads").asInt()).isEqualTo(8);
    }

    @Test
    void everyComparatorRuns() throws Exception {
        JsonNode results =
                run(
                        moment(COMPARATORS, 0)
                                .param("length", "1", "16384")
                                .param("kind", "latin1", "mixed")
                                .param("profile", "pure"));
        assertThat(results).hasSize(8 * 2 * 2).allSatisfy(SmokeTest::isTimePerOperation);
    }

    @Test
    void pollutedReadRunsInAForkWithBothProfilers() throws Exception {
        JsonNode secondary = runPolluted("read", "network").get("secondaryMetrics");
        // The string and its array: 16 characters cannot take less, and should not take much more.
        assertThat(score(secondary, "gc.alloc.rate.norm")).isBetween(40., 200.);
        assertThat(score(secondary, "cpu.time.norm")).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"write,serializer", "copy,network"})
    void pollutedWriteAndCopyRunInAForkWithBothProfilers(String method, String view)
            throws Exception {
        JsonNode secondary = runPolluted(method, view).get("secondaryMetrics");
        assertThat(score(secondary, "gc.alloc.rate.norm")).isLessThan(40);
        assertThat(score(secondary, "cpu.time.norm")).isPositive();
    }

    private JsonNode runPolluted(String method, String view) throws Exception {
        JsonNode results =
                run(
                        moment(STRINGS + "." + method, 1)
                                .param("length", "16")
                                .param("kind", "ascii")
                                .param("profile", "mixed")
                                .param("view", view)
                                // Not counted: what the JVM allocates on its first iterations.
                                .warmupIterations(2)
                                .warmupTime(TimeValue.milliseconds(200))
                                .measurementTime(TimeValue.milliseconds(400))
                                .addProfiler(GCProfiler.class)
                                .addProfiler(CpuTimeProfiler.class));
        assertThat(results).hasSize(1).allSatisfy(SmokeTest::isTimePerOperation);
        return results.get(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {WRITER, READER})
    void everyRecordRuns(String benchmark) throws Exception {
        JsonNode sizes =
                run(
                        moment(benchmark, 0)
                                .param("size", SIZES)
                                .param("type", "tuple")
                                .param("channels", "1")
                                .param("profile", "pure"));
        assertThat(sizes).hasSize(SIZES.length).allSatisfy(SmokeTest::isTimePerOperation);
        JsonNode types =
                run(
                        moment(benchmark, 0)
                                .param("size", "16")
                                .param("type", "string", "tuple", "bytes")
                                .param("channels", "100")
                                .param("profile", "pure"));
        assertThat(types).hasSize(3).allSatisfy(SmokeTest::isTimePerOperation);
    }

    @ParameterizedTest
    @ValueSource(strings = {WRITER, READER})
    void recordsWithPollutedCallSitesRunInAFork(String benchmark) throws Exception {
        JsonNode results =
                run(
                        moment(benchmark, 1)
                                .param("size", "64")
                                .param("type", "tuple")
                                .param("channels", "100")
                                .param("profile", "mixed"));
        assertThat(results).hasSize(1).allSatisfy(SmokeTest::isTimePerOperation);
    }

    /** {@link RecordSerializationBenchmarkTest} has all types and views. */
    @Test
    void readsRunInAForkWithPollutedCallSites() throws Exception {
        JsonNode results =
                run(moment(CALLS + ".read", 1).param("type", "pojo").param("view", "stream"));
        assertThat(results).hasSize(1).allSatisfy(SmokeTest::isTimePerOperation);
    }

    /** The smaller shapes; one in a fork, with its memory. */
    @ParameterizedTest
    @CsvSource({"'100,100ms', 0", "'100,100ms,SSL', 1"})
    void recordsGoThroughTheNetwork(String shape, int forks) throws Exception {
        JsonNode results = run(moment(THROUGHPUT, forks).param("channelsFlushTimeout", shape));
        assertThat(results).hasSize(1);
        assertThat(unit(results.get(0))).isEqualTo("ops/ms");
        // Records, not invocations, are the operations: even a busy machine does ten.
        assertThat(score(results.get(0), "primaryMetric")).isGreaterThan(10);
    }

    @Test
    void recordsAreBroadcastAndWaitedFor() throws Exception {
        JsonNode broadcast = run(moment(BROADCAST, 0));
        assertThat(unit(broadcast.get(0))).isEqualTo("ops/ms");
        assertThat(score(broadcast.get(0), "primaryMetric")).isGreaterThan(1);
        JsonNode latency = run(moment(LATENCY, 0));
        assertThat(unit(latency.get(0))).isEqualTo("ms/op");
        assertThat(score(latency.get(0), "primaryMetric")).isPositive();
    }

    @Test
    void everyJobRuns() throws Exception {
        ChainedOptionsBuilder options = moment(JOBS, 0);
        SMALL_RECORD_JOBS.forEach(options::include);
        options.include(PURCHASES);
        options.include(SESSION + ".sessionTuple");
        if (!JavaRecords.areSupported()) {
            options.exclude("javaRecords");
        }
        options.param("stateBackend", "ROCKS_INC");
        List<JsonNode> results = new ArrayList<>();
        // As long as it takes to measure them would be a minute of tests.
        System.setProperty(ClusterJob.SHORTENED, "50");
        try {
            run(options).forEach(results::add);
        } finally {
            System.clearProperty(ClusterJob.SHORTENED);
        }
        assertThat(results).hasSize(6 + 1 + 1 + 1 + 1 + 1 + (JavaRecords.areSupported() ? 8 : 7));
        assertThat(results)
                .allSatisfy(
                        result -> {
                            assertThat(result.get("mode").asText()).isEqualTo("thrpt");
                            assertThat(unit(result)).isEqualTo("ops/ms");
                            assertThat(score(result, "primaryMetric")).isPositive();
                        });
    }

    @Test
    void unknownParameterFailsTheRun() {
        assertThatThrownBy(
                        () ->
                                run(
                                        moment(STRINGS + ".write", 0)
                                                .param("kind", "klingon")
                                                .param("profile", "pure")))
                .isInstanceOf(RunnerException.class)
                .hasStackTraceContaining("Unknown kind 'klingon'");
    }

    private static ChainedOptionsBuilder moment(String include, int forks) {
        return new OptionsBuilder()
                .include(include)
                .forks(forks)
                // With the optimising compiler, also where the tests themselves do without it.
                .jvmArgsAppend("-XX:TieredStopAtLevel=4")
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(20))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
    }

    private JsonNode run(ChainedOptionsBuilder options) throws Exception {
        Path json = folder.resolve("result.json");
        new Runner(options.resultFormat(ResultFormatType.JSON).result(json.toString()).build())
                .run();
        return new ObjectMapper().readTree(json.toFile());
    }

    private static void isTimePerOperation(JsonNode result) {
        assertThat(result.get("mode").asText()).isEqualTo("avgt");
        assertThat(unit(result)).isEqualTo("ns/op");
        assertThat(score(result, "primaryMetric")).isPositive();
    }

    private static double score(JsonNode metrics, String name) {
        return metrics.get(name).get("score").asDouble();
    }

    private static String unit(JsonNode result) {
        return result.get("primaryMetric").get("scoreUnit").asText();
    }
}
