// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.benchmark.line.StateBackends;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WindowJobTest {

    private static LocalCluster cluster;

    @TempDir private Path folder;

    @BeforeAll
    static void startCluster() throws Exception {
        cluster = LocalCluster.start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    /** The job itself compares what its windows reduced with what they have to. */
    @ParameterizedTest
    @CsvSource({"GLOBAL,0", "TUMBLING,1000", "SLIDING,10000", "SESSION,1000"})
    void everyKeyHasItsResultsAtTheEnd(WindowShape shape, long results) throws Exception {
        WindowJob job = WindowJob.keyed(LocalCluster.describe(1), shape, 3000);
        assertThat(job.run(cluster)).isEqualTo(results);
        assertThat(job.run(cluster)).isEqualTo(results);
    }

    @Test
    void longsAreAddedUpInOneWindow() throws Exception {
        WindowJob job = WindowJob.ofLongs(LocalCluster.describe(1), 2500);
        assertThat(job.run(cluster)).isZero();
        assertThat(job.run(cluster)).isZero();
    }

    @Test
    void lostRecordsFailTheBenchmark() {
        WindowJob job = WindowJob.ofLongs(LocalCluster.describe(1), 2500).expecting(2500);
        assertThatThrownBy(() -> job.run(cluster))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The windows reduced 2499 times instead of 2500.");
    }

    @ParameterizedTest
    @EnumSource
    void aJobWhoseWindowsCouldNotBeCountedIsRefused(WindowShape shape) {
        StreamExecutionEnvironment environment = LocalCluster.describe(1);
        assertThatThrownBy(() -> WindowJob.keyed(environment, shape, 1500))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1500 records do not fill the windows of all keys alike.");
    }

    @Test
    void recordsAreSmallPojos() {
        PojoTypeInfo<KeyedValue> type =
                (PojoTypeInfo<KeyedValue>) TypeInformation.of(KeyedValue.class);
        assertThat(type.getArity()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuples", "arrays"})
    void keyedRecordsAllArrive(String form) throws Exception {
        RecordJob job =
                form.equals("tuples") ? KeyByBenchmarks.tuples(1003) : KeyByBenchmarks.arrays(1003);
        assertThat(job.run(cluster)).isEqualTo(1003);
    }

    @ParameterizedTest
    @CsvSource({
        "MEMORY,Heap",
        "FS,Heap",
        "FS_ASYNC,Heap",
        "ROCKS,RocksDB",
        "ROCKS_INC,RocksDB",
    })
    void everyStateBackendIsTheOneNamed(String name, String prefix) throws Exception {
        assertThat(StateBackendJob.on(name, folder, 3000).run(cluster)).isEqualTo(1000);

        StateSpy.SEEN.clear();
        spyingJob(name).run(cluster);
        assertThat(StateSpy.SEEN).hasSize(10).allMatch(state -> state.startsWith(prefix));
    }

    @SuppressWarnings("deprecation")
    private RecordJob spyingJob(String stateBackend) throws Exception {
        StreamExecutionEnvironment environment = LocalCluster.describe(1);
        StateBackends.use(environment, stateBackend, folder.toUri());
        environment
                .addSource(new RecordSource<>(StateSpy::records, 10), Types.INT)
                .keyBy(key -> key, Types.INT)
                .map(new StateSpy())
                .addSink(new CountingSink<>());
        return RecordJob.described(environment, 10);
    }

    static Stream<ClusterJob> jobsOfBenchmarks() {
        return Stream.of(
                new KeyByBenchmarks.TupleJob(),
                new KeyByBenchmarks.ArrayJob(),
                new SumLongsBenchmark.SumJob(),
                new WindowBenchmarks.GlobalJob(),
                new WindowBenchmarks.TumblingJob(),
                new WindowBenchmarks.SlidingJob(),
                new WindowBenchmarks.SessionJob(),
                memoryJob("MEMORY"),
                memoryJob("FS"),
                memoryJob("FS_ASYNC"),
                rocksJob("ROCKS"),
                rocksJob("ROCKS_INC"));
    }

    private static ClusterJob memoryJob(String stateBackend) {
        MemoryStateBackendBenchmark.MemoryJob job = new MemoryStateBackendBenchmark.MemoryJob();
        job.stateBackend = stateBackend;
        return job;
    }

    private static ClusterJob rocksJob(String stateBackend) {
        RocksStateBackendBenchmark.RocksJob job = new RocksStateBackendBenchmark.RocksJob();
        job.stateBackend = stateBackend;
        return job;
    }

    /** As JMH runs them, but shorter; the number of results tells which job it was. */
    @ParameterizedTest
    @MethodSource("jobsOfBenchmarks")
    void everyJobOfABenchmarkDoesItsWork(ClusterJob job) throws Exception {
        System.setProperty(ClusterJob.SHORTENED, "50");
        try {
            assertThat(job.describe().run(cluster)).isEqualTo(RESULTS.get(job.getClass()));
        } finally {
            System.clearProperty(ClusterJob.SHORTENED);
            if (job instanceof StateBackendJob) {
                ((StateBackendJob) job).deleteFolder();
            }
        }
    }

    private static final Map<Class<?>, Long> RESULTS =
            Map.of(
                    KeyByBenchmarks.TupleJob.class,
                    40_000L,
                    KeyByBenchmarks.ArrayJob.class,
                    30_000L,
                    SumLongsBenchmark.SumJob.class,
                    0L,
                    WindowBenchmarks.GlobalJob.class,
                    0L,
                    WindowBenchmarks.TumblingJob.class,
                    1000L,
                    WindowBenchmarks.SlidingJob.class,
                    10_000L,
                    WindowBenchmarks.SessionJob.class,
                    1000L,
                    MemoryStateBackendBenchmark.MemoryJob.class,
                    1000L,
                    RocksStateBackendBenchmark.RocksJob.class,
                    1000L);

    @Test
    void unknownStateBackendIsRefused() {
        URI anywhere = folder.toUri();
        StreamExecutionEnvironment environment = LocalCluster.describe(1);
        assertThatThrownBy(() -> StateBackends.use(environment, "PAPER", anywhere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Unknown state backend 'PAPER'.");
    }

    /** Notes what kind of state it is given. */
    private static final class StateSpy extends RichMapFunction<Integer, Integer> {
        private static final long serialVersionUID = 1L;
        static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

        static Integer[] records() {
            return new Integer[] {1, 2, 3};
        }

        @Override
        public Integer map(Integer key) {
            ValueState<Integer> state =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("spied", Types.INT));
            SEEN.add(state.getClass().getSimpleName());
            return key;
        }
    }
}
