// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.benchmark.line.LocalCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordJobTest {

    private static LocalCluster cluster;

    @BeforeAll
    static void startCluster() throws Exception {
        cluster = LocalCluster.start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,1000", "4,1000", "4,1003", "4,3"})
    void deliversExactlyTheRecordsAskedFor(int parallelism, long records) throws Exception {
        RecordJob job =
                RecordJob.of(new JobRecords.Orders(), JobRecords.Orders.TYPE, parallelism, records);
        assertThat(job.run(cluster)).isEqualTo(records);
    }

    @Test
    void sameJobRunsAgainAndAgain() throws Exception {
        RecordJob job =
                RecordJob.of(new JobRecords.HeavyStrings(), JobRecords.HeavyStrings.TYPE, 1, 500);
        for (int i = 0; i < 5; i++) {
            assertThat(job.run(cluster)).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @CsvSource({"999", "1001"})
    void lostOrDoubledRecordsFailTheBenchmark(long expected) {
        RecordJob job =
                RecordJob.expecting(
                        expected,
                        new JobRecords.HeavyStrings(),
                        JobRecords.HeavyStrings.TYPE,
                        1,
                        1000);
        assertThatThrownBy(() -> job.run(cluster))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The sink got 1000 records instead of " + expected + ".");
    }

    @Test
    void failingTaskFailsTheBenchmark() {
        RecordJob job = RecordJob.of(new NoRecords(), TypeInformation.of(String.class), 1, 10);
        assertThatThrownBy(() -> job.run(cluster)).hasStackTraceContaining("no records today");
    }

    @Test
    void recordsAreSerializedOnTheirWay() throws Exception {
        Spy.SEEN.clear();
        RecordJob.of(new SpiedRecords(), TypeInformation.of(Spy.class), 1, 20).run(cluster);
        // A Spy registers itself when it is made; the sources' records were made before.
        assertThat(Spy.SEEN.stream().filter(spy -> spy.text.equals("original"))).hasSize(20);
    }

    @Test
    void typesAreThoseOfTheUpstreamSuite() {
        PojoTypeInfo<Order> pojo = (PojoTypeInfo<Order>) JobRecords.Orders.TYPE;
        assertThat(pojo.getArity()).isEqualTo(8);
        assertThat(pojo.getTypeAt("remark")).isInstanceOf(GenericTypeInfo.class);
        assertThat(pojo.<Object>getTypeAt("steps").toString()).contains("PojoType");
        TupleTypeInfo<?> tuple = (TupleTypeInfo<?>) (Object) JobRecords.OrderTuples.TYPE;
        assertThat(tuple.getArity()).isEqualTo(8);
        assertThat(
                        Stream.of(0, 1, 2, 3, 7)
                                .map(i -> tuple.getTypeAt(i).getTypeClass().getSimpleName()))
                .containsExactly("Integer", "String", "String[]", "Tuple2[]", "Object");
    }

    @Test
    void heavyStringsAreAThirdEachOfThreeKinds() {
        String[] strings = new JobRecords.HeavyStrings().records();
        assertThat(strings).allSatisfy(text -> assertThat(text).hasSize(1024));
        assertThat(Arrays.stream(strings).mapToInt(t -> ReferenceEncoding.encode(t).length))
                .startsWith(1026, 2050, 3074)
                .endsWith(1026, 2050, 3074);
    }

    /** A supply that cannot supply. */
    private static final class NoRecords implements RecordSupply<String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String[] records() {
            throw new IllegalStateException("no records today");
        }
    }

    /** A POJO that knows which of it were made. */
    public static class Spy {
        static final Queue<Spy> SEEN = new ConcurrentLinkedQueue<>();
        public String text;

        /** For Flink's deserialization. */
        public Spy() {
            SEEN.add(this);
        }
    }

    private static final class SpiedRecords implements RecordSupply<Spy> {
        private static final long serialVersionUID = 1L;
        private static final Spy[] RECORDS = make();

        private static Spy[] make() {
            Spy spy = new Spy();
            spy.text = "original";
            Spy.SEEN.clear();
            return new Spy[] {spy};
        }

        @Override
        public Spy[] records() {
            return RECORDS;
        }
    }
}
