// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields whose values are Avro's, by a schema of their class's own or by reflection. */
class AvroRecordsTest {

    /** A record in the form that Avro's code generator gives to such classes. */
    public static class Step extends SpecificRecordBase {

        /** Where Avro looks for the schema of a class. */
        public static final Schema SCHEMA$ =
                SchemaBuilder.record("Step")
                        .namespace(AvroRecordsTest.class.getName())
                        .fields()
                        .requiredInt("id")
                        .optionalString("name")
                        .endRecord();

        private static final long serialVersionUID = 1L;

        private int id;
        private CharSequence name;

        /** For Avro. */
        public Step() {}

        @Override
        public Schema getSchema() {
            return SCHEMA$;
        }

        @Override
        public Object get(int field) {
            return field == 0 ? (Object) id : name;
        }

        @Override
        public void put(int field, Object value) {
            if (field == 0) {
                id = (int) value;
            } else {
                name = (CharSequence) value;
            }
        }
    }

    /** A class whose schema Avro makes by reflection. */
    public static class Plan {
        private String title;
        private int[] numbers;
        private List<Long> longs;
        private Map<String, Double> weights;
    }

    /** Both, between fields of fixed width. */
    public static class Tour {
        public long before;
        public Step specific;
        public Plan reflected;
        public double behind;
    }

    private static Step step(Random random) {
        Step step = new Step();
        step.id = random.nextInt();
        step.name = random.nextBoolean() ? null : text(random);
        return step;
    }

    private static Plan plan(Random random) {
        Plan plan = new Plan();
        plan.title = text(random);
        plan.numbers = random.ints(random.nextInt(5)).toArray();
        plan.longs = new ArrayList<>();
        plan.weights = new HashMap<>();
        for (int i = 0; i < random.nextInt(4); i++) {
            plan.longs.add(random.nextLong());
            plan.weights.put(text(random), random.nextDouble());
        }
        return plan;
    }

    private static String text(Random random) {
        return "\u00e9t\u20ac".repeat(random.nextInt(5) == 0 ? 200 : random.nextInt(9));
    }

    private static TypeSerializer<?>[] serializers() {
        return new TypeSerializer<?>[] {
            LongSerializer.INSTANCE,
            new AvroSerializer<>(Step.class),
            new AvroSerializer<>(Plan.class),
            DoubleSerializer.INSTANCE
        };
    }

    private static RecordPair pair() throws NoSuchFieldException {
        Field[] fields = new Field[4];
        String[] names = {"before", "specific", "reflected", "behind"};
        for (int i = 0; i < names.length; i++) {
            fields[i] = Tour.class.getField(names[i]);
        }
        return new RecordPair(Tour.class, fields, serializers());
    }

    private static Tour tour(Random random) {
        Tour tour = new Tour();
        tour.before = random.nextLong();
        tour.specific = random.nextInt(4) == 0 ? null : step(random);
        tour.reflected = random.nextInt(4) == 0 ? null : plan(random);
        tour.behind = random.nextDouble();
        return tour;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void fieldsOfPojosAreMovedAsByStock(long seed) throws Exception {
        pair().assertSame(tour(new Random(seed)));
    }

    @Test
    void damagedOnesEndAsByStock() throws Exception {
        RecordPair pair = pair();
        Tour tour = tour(new Random(3));
        byte[] bytes = pair.bytes(tour);
        for (int i = 1; i < bytes.length; i++) {
            pair.assertSameRead(Arrays.copyOf(bytes, i));
        }
    }
}
