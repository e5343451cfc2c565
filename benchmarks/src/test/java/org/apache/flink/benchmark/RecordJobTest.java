// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple8;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfoBase;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.types.Row;
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
        RecordJob job = RecordJob.of(JobRecords::orders, JobRecords.ORDER, parallelism, records);
        assertThat(job.run(cluster)).isEqualTo(records);
    }

    @Test
    void sameJobRunsAgainAndAgain() throws Exception {
        RecordJob job = RecordJob.of(JobRecords::heavyStrings, Types.STRING, 1, 500);
        for (int i = 0; i < 5; i++) {
            assertThat(job.run(cluster)).isEqualTo(500);
        }
    }

    @ParameterizedTest
    @CsvSource({"999", "1001"})
    void lostOrDoubledRecordsFailTheBenchmark(long expected) {
        RecordJob job =
                RecordJob.expecting(expected, JobRecords::heavyStrings, Types.STRING, 1, 1000);
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
        PojoTypeInfo<Order> pojo = (PojoTypeInfo<Order>) JobRecords.ORDER;
        assertThat(pojo.getArity()).isEqualTo(8);
        assertThat(pojo.getTypeAt("remark")).isInstanceOf(GenericTypeInfo.class);
        assertThat(pojo.<Object>getTypeAt("steps").toString()).contains("PojoType");

        assertThat(JobRecords.KRYO_ORDER).isInstanceOf(GenericTypeInfo.class);
        assertThat(JobRecords.avroType()).isInstanceOf(AvroTypeInfo.class);

        TupleTypeInfo<?> tuple = (TupleTypeInfo<?>) (Object) JobRecords.TUPLE;
        assertThat(tuple.getTypeClass()).isEqualTo(Tuple8.class);
        assertThat(fieldClasses(tuple))
                .containsExactly(
                        "Integer",
                        "String",
                        "String[]",
                        "Tuple2[]",
                        "Integer",
                        "Integer",
                        "Integer",
                        "Object");
        assertThat(fieldClasses((RowTypeInfo) JobRecords.ROW))
                .containsExactly(
                        "Integer",
                        "String",
                        "String[]",
                        "Row[]",
                        "Integer",
                        "Integer",
                        "Integer",
                        "Object");
    }

    private static List<String> fieldClasses(TupleTypeInfoBase<?> type) {
        return IntStream.range(0, type.getArity())
                .mapToObj(i -> type.getTypeAt(i).getTypeClass().getSimpleName())
                .collect(Collectors.toList());
    }

    @Test
    void everyFormOfAnOrderComesBackFromItsSerializer() throws Exception {
        Order order = JobRecords.orders()[7];
        for (TypeInformation<Order> type : List.of(JobRecords.ORDER, JobRecords.KRYO_ORDER)) {
            Order copy = sentThrough(type, order);
            assertThat(copy).isNotSameAs(order).usingRecursiveComparison().isEqualTo(order);
        }
        Tuple8<?, ?, ?, ?, ?, ?, ?, ?> tuple =
                (Tuple8<?, ?, ?, ?, ?, ?, ?, ?>)
                        sentThrough(JobRecords.TUPLE, JobRecords.tuples()[7]);
        assertThat(tuple.f1).isEqualTo(order.name);
        assertThat((Object[]) (Object) tuple.f3)
                .containsExactly(
                        Tuple2.of(1, order.steps[0].name),
                        Tuple2.of(2, order.steps[1].name),
                        Tuple2.of(3, order.steps[2].name));
        assertThat(tuple.f7).isEqualTo(order.remark);

        Row row = sentThrough(JobRecords.ROW, JobRecords.rows()[7]);
        assertThat(row.getField(1)).isEqualTo(order.name);
        assertThat((Object[]) row.getField(3)).contains(Row.of(3, order.steps[2].name));
        assertThat(row.getField(6)).isEqualTo(order.carrier);

        AvroOrder avro = sentThrough(JobRecords.avroType(), JobRecords.avroOrders()[7]);
        assertThat(avro.toString()).isEqualTo(JobRecords.avroOrders()[7].toString());
        assertThat(avro.name.toString()).isEqualTo(order.name);
        assertThat(avro.steps).hasSize(3);
        assertThat(avro.carrier).isEqualTo(order.carrier);
        assertThatThrownBy(() -> avro.get(8)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static <T> T sentThrough(TypeInformation<T> type, T record) throws Exception {
        TypeSerializer<T> serializer = serializer(type);
        DataOutputSerializer bytes = new DataOutputSerializer(1);
        serializer.serialize(record, bytes);
        return serializer.deserialize(new DataInputDeserializer(bytes.getCopyOfBuffer()));
    }

    /** From Flink 2 on the factory method takes another kind of configuration. */
    @SuppressWarnings("unchecked")
    private static <T> TypeSerializer<T> serializer(TypeInformation<T> type) throws Exception {
        Object configuration = new ExecutionConfig();
        Method factory;
        try {
            factory = TypeInformation.class.getMethod("createSerializer", ExecutionConfig.class);
        } catch (NoSuchMethodException e) {
            configuration =
                    ExecutionConfig.class.getMethod("getSerializerConfig").invoke(configuration);
            factory =
                    TypeInformation.class.getMethod(
                            "createSerializer",
                            ExecutionConfig.class.getMethod("getSerializerConfig").getReturnType());
        }
        return (TypeSerializer<T>) factory.invoke(type, configuration);
    }

    @Test
    void heavyStringsAreAThirdEachOfThreeKinds() {
        String[] strings = JobRecords.heavyStrings();
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
