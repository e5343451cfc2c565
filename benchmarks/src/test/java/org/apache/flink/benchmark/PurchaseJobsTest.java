// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PurchaseJobsTest {

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

    /** The job itself compares what its records add up to with what they have to. */
    @ParameterizedTest
    @CsvSource({
        "chain,4096,4096",
        "chain,20480,20480",
        "eventTime,4096,64",
        "eventTime,20480,320",
        "count,4096,4096",
        "count,20480,20480",
        "plain,4096,4096",
        "plain,20480,20480",
        "nested,4096,4096",
        "nested,20480,20480",
    })
    void sumOfTheRecordsIsKnown(String name, long records, long results) throws Exception {
        RecordJob job = JOBS.get(name).apply(records);
        assertThat(job.run(cluster)).isEqualTo(results);
        assertThat(job.run(cluster)).isEqualTo(results);
    }

    private static final Map<String, LongFunction<RecordJob>> JOBS =
            Map.of(
                    "chain", PurchaseJobs::chain,
                    "eventTime", PurchaseJobs::eventTime,
                    "count", PurchaseJobs::count,
                    "plain", PurchaseJobs::plain,
                    "nested", PurchaseJobs::nested);

    @ParameterizedTest
    @CsvSource({"MEMORY,4096", "MEMORY,20480", "ROCKS,4096", "ROCKS,20480"})
    void sumOfTheRecordsInStateIsKnown(String backend, long records) throws Exception {
        RecordJob job = PurchaseJobBenchmarks.state(backend, folder, records);
        assertThat(job.run(cluster)).isEqualTo(records);
        assertThat(job.run(cluster)).isEqualTo(records);
    }

    /** The numbers add up to twice 0 + 1 + 2 + 3. */
    @Test
    void rightSumOfASmallJobIsAccepted() throws Exception {
        assertThat(RecordJob.described(adding(8), 8, 12).run(cluster)).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 13})
    void wrongSumFailsTheBenchmark(long sum) {
        RecordJob job = RecordJob.described(adding(8), 8, sum);
        assertThatThrownBy(() -> job.run(cluster))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The records add up to 12, not " + sum + ".");
    }

    @Test
    void sumThatNobodyExpectsFailsTheBenchmark() {
        RecordJob job = RecordJob.described(adding(8), 8);
        assertThatThrownBy(() -> job.run(cluster))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The records add up to 12, not null.");
    }

    @SuppressWarnings("deprecation")
    private static StreamExecutionEnvironment adding(long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(1);
        environment
                .addSource(new RecordSource<>(() -> new Integer[] {0, 1, 2, 3}, records), Types.INT)
                .rebalance()
                .map(new Sum<Integer>(number -> number))
                .returns(Types.INT)
                .addSink(new CountingSink<>());
        return environment;
    }

    @ParameterizedTest
    @ValueSource(strings = {"chain", "eventTime", "count", "plain", "nested"})
    void recordsThatDoNotGoRoundAreRefused(String name) {
        LongFunction<RecordJob> job = JOBS.get(name);
        assertThatThrownBy(() -> job.apply(1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1000 records do not send each purchase equally often.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY", "ROCKS"})
    void recordsForStateThatDoNotGoRoundAreRefused(String backend) {
        assertThatThrownBy(() -> PurchaseJobBenchmarks.state(backend, folder, 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1000 records do not send each purchase equally often.");
    }

    static Stream<ClusterJob> jobsOfBenchmarks() {
        return Stream.of(
                new PurchaseJobBenchmarks.ChainJob(),
                new PurchaseJobBenchmarks.EventTimeJob(),
                new PurchaseJobBenchmarks.HeapStateJob(),
                new PurchaseJobBenchmarks.RocksStateJob(),
                new PurchaseJobBenchmarks.CountJob(),
                new PurchaseJobBenchmarks.PlainJob(),
                new PurchaseJobBenchmarks.NestedJob());
    }

    /** As JMH runs them, but shorter. */
    @ParameterizedTest
    @MethodSource("jobsOfBenchmarks")
    void everyJobOfABenchmarkDoesItsWork(ClusterJob job) throws Exception {
        long results = job instanceof PurchaseJobBenchmarks.EventTimeJob ? 320 : 20_480;
        System.setProperty(ClusterJob.SHORTENED, "50");
        try {
            assertThat(job.describe().run(cluster)).isEqualTo(results);
        } finally {
            System.clearProperty(ClusterJob.SHORTENED);
            if (job instanceof StateBackendJob) {
                ((StateBackendJob) job).deleteFolder();
            }
        }
    }

    @Test
    void javaRecordsAreMovedWhereTheJvmHasThem() throws Exception {
        assumeTrue(JavaRecords.areSupported());
        assertThat(PurchaseJobs.javaRecords(20_480).run(cluster)).isEqualTo(20_480);
        assertThat(JavaRecords.all()).hasSize(Purchase.all().length);
    }

    @Test
    void noFieldIsLeftToKryo() {
        PojoTypeInfo<Purchase> purchase =
                (PojoTypeInfo<Purchase>) TypeInformation.of(Purchase.class);
        assertThat(purchase.getArity()).isEqualTo(8);
        assertThat(purchase.<Object>getTypeAt("address")).isInstanceOf(PojoTypeInfo.class);
        assertThat(leftToKryo(purchase)).isEmpty();

        PojoTypeInfo<Basket> basket = (PojoTypeInfo<Basket>) Basket.TYPE;
        assertThat(basket.<Object>getTypeAt("others")).isInstanceOf(ListTypeInfo.class);
        assertThat(leftToKryo(basket)).isEmpty();
    }

    @Test
    void aFieldThatIsLeftToKryoIsFound() {
        assertThat(leftToKryo(JobRecords.ORDER)).hasSize(1);
        assertThat(leftToKryo(Types.LIST(JobRecords.KRYO_ORDER))).hasSize(1);
    }

    /** Generic types in a type, at any depth of POJOs, tuples and lists. */
    private static Stream<TypeInformation<?>> leftToKryo(TypeInformation<?> type) {
        if (type instanceof GenericTypeInfo) {
            return Stream.of(type);
        }
        if (type instanceof ListTypeInfo) {
            return leftToKryo(((ListTypeInfo<?>) type).getElementTypeInfo());
        }
        if (!(type instanceof CompositeType)) {
            return Stream.empty();
        }
        CompositeType<?> composite = (CompositeType<?>) type;
        return Stream.iterate(0, i -> i < composite.getArity(), i -> i + 1)
                .flatMap(i -> leftToKryo(composite.getTypeAt(i)));
    }
}
