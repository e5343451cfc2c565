// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.patches.PojoSerializerPatch;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/**
 * Flink's serializers of records as they are in this jar, beside stock's: by generated code where
 * they are woven and switched on.
 */
class WovenSerializersTest {

    /** A POJO of stock's way of finding types. */
    public static class Row {
        public int a;
        public String b;
        public Row inner;
    }

    /** One of a subclass. */
    public static class LongerRow extends Row {
        public long c;
    }

    private static boolean areWoven() {
        return Families.RECORDS
                && PojoSerializerPatch.Memory.class.isAssignableFrom(PojoSerializer.class);
    }

    private static String all(TypeSerializer<Object> serializer, Object record) {
        Witness.reset();
        return Outcome.of(
                () -> {
                    DataOutputSerializer out = new DataOutputSerializer(1);
                    serializer.serialize(record, out);
                    byte[] bytes = out.getCopyOfBuffer();
                    DataInputDeserializer in = new DataInputDeserializer(bytes);
                    return ObjectText.ofCopy(serializer.copy(record), record)
                            + Arrays.toString(bytes)
                            + ObjectText.of(serializer.deserialize(in))
                            + in.available();
                });
    }

    /** Waits until generated code does it, where there is any. */
    private static void settle(TypeSerializer<Object> serializer, Object record)
            throws InterruptedException {
        if (!areWoven()) {
            return;
        }
        PojoSerializerPatch.Memory memory = (PojoSerializerPatch.Memory) (Object) serializer;
        do {
            Thread.sleep(1);
            serializer.copy(record);
        } while (memory.boostAccess().isPreliminary());
        assertThat(memory.boostAccess()).isNotSameAs(RecordAccess.STOCK);
    }

    @Test
    void randomRecordsAreMovedAsStockMovesThem() throws Exception {
        for (long seed : new Random().longs(100).toArray()) {
            assertMoved(seed);
        }
    }

    private static void assertMoved(long seed) throws Exception {
        RandomRecords.Kind kind = new RandomRecords(seed).kind(8, 2);
        RecordPair pair = kind.pair;
        TypeSerializer<Object> ours =
                StockSerializers.ourPojo(pair.type, pair.fields, pair.serializers);
        Object record = kind.make();
        String expected = all(pair.stock, record);
        assertThat(all(ours, record)).as("at first, seed %d", seed).isEqualTo(expected);
        settle(ours, record);
        assertThat(all(ours, record)).as("seed %d", seed).isEqualTo(expected);
        assertThat(all(ours.duplicate(), record)).as("seed %d", seed).isEqualTo(expected);
        assertThat(all(ours, null)).isEqualTo(all(pair.stock, null));
    }

    @Test
    void subclassesAreMovedAsByStock() throws Exception {
        Field[] fields = {Row.class.getField("a")};
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE};
        TypeSerializer<Object> ours = StockSerializers.ourPojo(Row.class, fields, serializers);
        TypeSerializer<Object> stock = StockSerializers.pojo(Row.class, fields, serializers);
        Row plain = new Row();
        settle(ours, plain);
        LongerRow longer = new LongerRow();
        longer.a = 5;
        longer.c = 6;
        assertThat(all(ours, longer)).isEqualTo(all(stock, longer)).contains("LongerRow");
        assertThat(all(ours, plain)).isEqualTo(all(stock, plain));
    }

    /** A serializer travels in the job's graph: what is added to it does not, and comes again. */
    @Test
    void aSerializerThatWasSerializedIsAsBefore() throws Exception {
        Field[] fields = {Row.class.getField("a")};
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE};
        TypeSerializer<Object> ours = StockSerializers.ourPojo(Row.class, fields, serializers);
        TypeSerializer<Object> stock = StockSerializers.pojo(Row.class, fields, serializers);
        Row record = new Row();
        settle(ours, record);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(ours);
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            @SuppressWarnings("unchecked")
            TypeSerializer<Object> read = (TypeSerializer<Object>) in.readObject();
            assertThat(read).isEqualTo(ours);
            settle(read, record);
            assertThat(all(read, record)).isEqualTo(all(stock, record));
        }
        for (Class<?> each : new Class<?>[] {PojoSerializer.class, TupleSerializer.class}) {
            Class<?> stocks = StockSerializers.stock(each);
            assertThat(ObjectStreamClass.lookup(each).getSerialVersionUID())
                    .isEqualTo(ObjectStreamClass.lookup(stocks).getSerialVersionUID());
            assertThat(ObjectStreamClass.lookup(each).getFields())
                    .hasSameSizeAs(ObjectStreamClass.lookup(stocks).getFields());
        }
    }

    @Test
    void theHandOverIsOneObject() {
        assertThat(RecordAccess.TO_STOCK).isSameAs(HandOver.TO_STOCK);
    }
}
