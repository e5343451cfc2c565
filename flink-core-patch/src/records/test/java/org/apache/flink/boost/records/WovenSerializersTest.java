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
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

/** Flink's serializers of records as they are in this jar, beside stock's. */
class WovenSerializersTest {

    private static final Class<?>[] SERIALIZERS = {
        PojoSerializer.class, TupleSerializer.class, RowSerializer.class
    };

    /** A POJO of stock's way of finding types. */
    public static class Part {
        public int a;
        public String b;
        public Part inner;
    }

    /** One of a subclass. */
    public static class LongerPart extends Part {
        public long c;
    }

    private static boolean isWoven(Class<?> serializer) {
        return RecordAccess.Holder.class.isAssignableFrom(serializer);
    }

    private static String all(TypeSerializer<Object> serializer, Object record) {
        Witness.reset();
        return StockSerializers.inLoaderOf(
                serializer,
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

    /** Waits until generated code does it, where that is switched on. */
    static void settle(TypeSerializer<Object> serializer, Object record)
            throws InterruptedException {
        RecordAccess.Holder holder = (RecordAccess.Holder) (Object) serializer;
        if (!Families.RECORDS) {
            serializer.copy(record);
            assertThat(holder.boostAccess()).as("access, switched off").isNull();
            return;
        }
        do {
            Thread.sleep(1);
            serializer.copy(record);
        } while (holder.boostAccess().isPreliminary());
        assertThat(holder.boostAccess()).isNotSameAs(RecordAccess.STOCK);
    }

    @Test
    void allOfThemAreWoven() {
        boolean off =
                "off".equals(System.getProperty("flink.boost.mode"))
                        || Runtime.version().feature() < 16;
        assertThat(Families.RECORDS).isEqualTo(!off);
        for (Class<?> each : SERIALIZERS) {
            assertThat(isWoven(each)).as(each.getName()).isTrue();
            assertThat(isWoven(StockSerializers.stock(each))).as("stock's").isFalse();
        }
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
        assertMoved(ours, pair.stock, kind.make(), "seed " + seed);
        assertThat(all(ours, null)).isEqualTo(all(pair.stock, null));
    }

    private static void assertMoved(
            TypeSerializer<Object> ours, TypeSerializer<Object> stock, Object record, String what)
            throws Exception {
        String expected = all(stock, record);
        assertThat(all(ours, record)).as("at first, %s", what).isEqualTo(expected);
        settle(ours, record);
        assertThat(all(ours, record)).as(what).isEqualTo(expected);
        TypeSerializer<Object> duplicate = ours.duplicate();
        settle(duplicate, record);
        assertThat(all(duplicate, record)).as("a duplicate, %s", what).isEqualTo(expected);
    }

    @Test
    void tuplesAndRowsAreMovedAsStockMovesThem() throws Exception {
        Random random = new Random(11);
        for (int arity = 1; arity <= Tuple.MAX_ARITY; arity++) {
            ColumnValues values = new ColumnValues(arity, random);
            TypeSerializer<?>[] columns = values.serializers;
            Class<? extends Tuple> type = Tuple.getTupleClass(arity);
            Tuple tuple = Tuple.newInstance(arity);
            for (int i = 0; i < arity; i++) {
                tuple.setField(values.right()[i], i);
            }
            TypeSerializer<Object> tuples = object(new TupleSerializer<>(raw(type), columns));
            assertMoved(tuples, StockSerializers.tuple(type, columns), tuple, "arity " + arity);
            TypeSerializer<Object> rows = object(new RowSerializer(columns, null, true));
            Row row = Row.ofKind(RowKind.DELETE, values.with(random.nextInt(arity), null));
            assertMoved(rows, StockSerializers.row(columns, null, true), row, "arity " + arity);
        }
    }

    @SuppressWarnings("unchecked")
    private static Class<Tuple> raw(Class<? extends Tuple> type) {
        return (Class<Tuple>) type;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> object(TypeSerializer<?> serializer) {
        return (TypeSerializer<Object>) serializer;
    }

    @Test
    void subclassesAreMovedAsByStock() throws Exception {
        Field[] fields = {Part.class.getField("a")};
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE};
        TypeSerializer<Object> ours = StockSerializers.ourPojo(Part.class, fields, serializers);
        TypeSerializer<Object> stock = StockSerializers.pojo(Part.class, fields, serializers);
        Part plain = new Part();
        settle(ours, plain);
        LongerPart longer = new LongerPart();
        longer.a = 5;
        longer.c = 6;
        assertThat(all(ours, longer)).isEqualTo(all(stock, longer)).contains("LongerPart");
        assertThat(all(ours, plain)).isEqualTo(all(stock, plain));
    }

    /** A class whose superclass keeps a field to itself, as a base class of entities does. */
    public static class Entity {
        private int a;
    }

    /** One of its subclasses. */
    public static class Invoice extends Entity {
        public int b;
    }

    /** A class that gives its field once. */
    public static class Receipt {
        public final int a;

        public Receipt() {
            this(1);
        }

        Receipt(int a) {
            this.a = a;
        }
    }

    @Test
    void hiddenFieldsAreMovedByOursAndFinalOnesByStock() throws Exception {
        Invoice invoice = new Invoice();
        ((Entity) invoice).a = 41;
        invoice.b = 42;
        assertMovedAsByStock(
                false, invoice, Entity.class.getDeclaredField("a"), Invoice.class.getField("b"));
        assertMovedAsByStock(true, new Receipt(41), Receipt.class.getField("a"));
    }

    private static void assertMovedAsByStock(boolean byStock, Object record, Field... fields)
            throws Exception {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[fields.length];
        Arrays.fill(serializers, IntSerializer.INSTANCE);
        for (Field field : fields) {
            field.setAccessible(true);
        }
        Class<?> type = record.getClass();
        TypeSerializer<Object> ours = StockSerializers.ourPojo(type, fields, serializers);
        TypeSerializer<Object> stock = StockSerializers.pojo(type, fields, serializers);
        RecordAccess.Holder holder = (RecordAccess.Holder) (Object) ours;
        do {
            assertThat(all(ours, record)).isEqualTo(all(stock, record)).contains("0, 0, 0, 41");
        } while (Families.RECORDS
                && (holder.boostAccess() == null || holder.boostAccess().isPreliminary()));
        if (Families.RECORDS) {
            assertThat(holder.boostAccess() == RecordAccess.STOCK).isEqualTo(byStock);
        } else {
            assertThat(holder.boostAccess()).isNull();
        }
        assertThat(all(ours, record)).isEqualTo(all(stock, record));
    }

    /** A serializer travels in the job's graph: what is added to it does not, and comes again. */
    @Test
    void aSerializerThatWasSerializedIsAsBefore() throws Exception {
        Field[] fields = {Part.class.getField("a")};
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE};
        TypeSerializer<Object> ours = StockSerializers.ourPojo(Part.class, fields, serializers);
        TypeSerializer<Object> stock = StockSerializers.pojo(Part.class, fields, serializers);
        Part record = new Part();
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
        for (Class<?> each : SERIALIZERS) {
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
