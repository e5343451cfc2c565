// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.records.patches.PojoSerializerPatch;
import org.apache.flink.boost.records.patches.RowSerializerPatch;
import org.apache.flink.boost.records.patches.TupleSerializerPatch;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** The patches of stock's serializers, with what they see of one in a class of the test's. */
public class RecordPatchesTest {

    private static final TypeSerializer<?>[] SERIALIZERS = {
        IntSerializer.INSTANCE, StringSerializer.INSTANCE
    };

    private static Class<?> row() {
        return MadeType.pojo("made.Row")
                .with("a", int.class)
                .with("b", String.class)
                .in(new MadeLoader());
    }

    /** A serializer's insides. */
    private static class Insides {

        private final Class<?> type;
        private final Field[] fields;
        private RecordAccess access;

        Insides(Class<?> type, Field... fields) {
            this.type = type;
            this.fields = fields;
        }

        public Class<?> boostType() {
            return type;
        }

        public Field[] boostFields() {
            return fields;
        }

        public TypeSerializer<?>[] boostSerializers() {
            return SERIALIZERS;
        }

        public boolean boostHasKind() {
            return true;
        }

        public LinkedHashMap<String, Integer> boostPositions() {
            return null;
        }

        public RecordAccess boostAccess() {
            return access;
        }

        public void boostAccess(RecordAccess other) {
            access = other;
        }
    }

    private static final class PojoInsides extends Insides implements PojoSerializerPatch.Memory {
        PojoInsides(RecordPair pair) {
            super(pair.type, pair.fields);
        }
    }

    private static final class TupleInsides extends Insides implements TupleSerializerPatch.Memory {
        TupleInsides() {
            super(Tuple2.class);
        }
    }

    private static final class RowInsides extends Insides implements RowSerializerPatch.Memory {
        RowInsides() {
            super(Row.class);
        }
    }

    private static void assertBytes(Object text, DataOutputSerializer out, byte[] stock) {
        assertThat(out.getCopyOfBuffer()).as("bytes of %s", text).isEqualTo(stock);
    }

    /** Waits for the access, which the first call asks for. */
    private static void prepare(PojoInsides insides, Object record) throws InterruptedException {
        do {
            Thread.sleep(1);
            assertThat(PojoSerializerPatch.copy(insides, record)).isNotNull();
        } while (insides.boostAccess().isPreliminary());
    }

    @Test
    void untilTheAccessIsThereAndThenByIt() throws Exception {
        RecordPair pair = new RecordPair(row(), SERIALIZERS);
        Object record = pair.make(1, "x");
        PojoInsides insides = new PojoInsides(pair);
        Object first = PojoSerializerPatch.copy(insides, record);
        assertThat(first == HandOver.TO_STOCK || first.getClass() == pair.type).isTrue();
        prepare(insides, record);
        RecordAccess kept = insides.boostAccess();
        assertThat(ObjectText.ofCopy(PojoSerializerPatch.copy(insides, record), record))
                .isEqualTo(ObjectText.ofCopy(pair.stock.copy(record), record));
        DataOutputSerializer out = new DataOutputSerializer(1);
        assertThat(PojoSerializerPatch.serialize(insides, record, out)).isTrue();
        assertBytes("a record", out, pair.bytes(record));
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        assertThat(ObjectText.of(PojoSerializerPatch.deserialize(insides, in)))
                .isEqualTo(ObjectText.of(record));
        assertThat(in.available()).isZero();
        assertThat(insides.boostAccess()).as("it is asked for once").isSameAs(kept);
    }

    /** Null, subclasses, damage, the end: stock's body finds the view as it was. */
    @Test
    void flagsOfAnythingElseAreLeftToStock() throws Exception {
        RecordPair pair = new RecordPair(row(), SERIALIZERS);
        PojoInsides insides = new PojoInsides(pair);
        prepare(insides, pair.make(1, "x"));
        for (byte[] bytes : new byte[][] {{}, {1}, {4, 0, 1}, {8, 0}, {0}, {3, 2}, {-1}}) {
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            assertThat(PojoSerializerPatch.deserialize(insides, in)).isSameAs(HandOver.TO_STOCK);
            assertThat(in.available()).isEqualTo(bytes.length);
        }
        DataInputDeserializer released = new DataInputDeserializer(new byte[] {2, 0});
        released.releaseArrays();
        assertThat(PojoSerializerPatch.deserialize(insides, released)).isSameAs(HandOver.TO_STOCK);
        assertThat(PojoSerializerPatch.deserialize(insides, null)).isSameAs(HandOver.TO_STOCK);
    }

    /** All bytes are there, and it is not for us to say that they are. */
    @Test
    void aViewThatEndsBehindItsArrayIsLeftToStock() throws Exception {
        RecordPair pair = new RecordPair(row(), SERIALIZERS);
        Object record = pair.make(1, "x");
        PojoInsides insides = new PojoInsides(pair);
        prepare(insides, record);
        byte[] bytes = pair.bytes(record);
        Field end = DataInputDeserializer.class.getDeclaredField("end");
        end.setAccessible(true);
        for (int behind = 0; behind < 2; behind++) {
            DataInputDeserializer in = new DataInputDeserializer(bytes);
            end.setInt(in, bytes.length + behind);
            assertThat(PojoSerializerPatch.deserialize(insides, in) == HandOver.TO_STOCK)
                    .isEqualTo(behind > 0);
            assertThat(in.getPosition()).isEqualTo(behind > 0 ? 0 : bytes.length);
        }
        // A view adds start and length, and the sum leaves the range of int.
        DataInputDeserializer below = new DataInputDeserializer(bytes, Integer.MAX_VALUE, 1);
        assertThat(PojoSerializerPatch.deserialize(insides, below)).isSameAs(HandOver.TO_STOCK);
    }

    @Test
    void viewsThatShowNothingAreLeftToStock() throws Exception {
        RecordPair pair = new RecordPair(row(), SERIALIZERS);
        Object record = pair.make(1, "x");
        PojoInsides insides = new PojoInsides(pair);
        prepare(insides, record);
        byte[] bytes = pair.bytes(record);
        ByteArrayInputStream stream = new ByteArrayInputStream(bytes);
        assertThat(PojoSerializerPatch.deserialize(insides, new DataInputViewStreamWrapper(stream)))
                .isSameAs(HandOver.TO_STOCK);
        assertThat(stream.available()).isEqualTo(bytes.length);
    }

    /** The view of a record in a network buffer, on the heap and beside it. */
    @Test
    void recordsOfTheNetworkAreRead() throws Exception {
        RecordPair pair = new RecordPair(row(), SERIALIZERS);
        Object record = pair.make(1, "x");
        PojoInsides insides = new PojoInsides(pair);
        prepare(insides, record);
        byte[] bytes = pair.bytes(record);
        for (MemorySegment segment :
                new MemorySegment[] {
                    MemorySegmentFactory.allocateUnpooledSegment(64),
                    MemorySegmentFactory.allocateUnpooledOffHeapMemory(64)
                }) {
            segment.put(5, bytes);
            DataInputView in = networkView(segment, 5, 5 + bytes.length);
            assertThat(ObjectText.of(PojoSerializerPatch.deserialize(insides, in)))
                    .isEqualTo(ObjectText.of(record));
            segment.put(5, (byte) 1);
            DataInputView none = networkView(segment, 5, 6);
            assertThat(PojoSerializerPatch.deserialize(insides, none)).isSameAs(HandOver.TO_STOCK);
            assertThat(none.readByte()).isEqualTo((byte) 1);
        }
    }

    public static DataInputView networkView(MemorySegment segment, int from, int limit)
            throws ReflectiveOperationException {
        Constructor<?> constructor = OwnViews.SEGMENT_INPUT.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object view = constructor.newInstance();
        Method set =
                OwnViews.SEGMENT_INPUT.getDeclaredMethod(
                        "initializeFromMemorySegment", MemorySegment.class, int.class, int.class);
        set.setAccessible(true);
        set.invoke(view, segment, from, limit);
        return (DataInputView) view;
    }

    /** Only stock's own serializer of tuples is sure to keep the serializers of its fields. */
    @Test
    void serializersOfTuplesThatAreNotStocksGoOnAsTheyAre() throws IOException {
        TupleInsides insides = new TupleInsides();
        Tuple tuple = Tuple2.of(1, "x");
        DataOutputView out = new DataOutputSerializer(1);
        assertThat(TupleSerializerPatch.copy(insides, tuple)).isSameAs(HandOver.TO_STOCK);
        assertThat(TupleSerializerPatch.serialize(insides, tuple, out)).isFalse();
        assertThat(TupleSerializerPatch.deserialize(insides, null)).isSameAs(HandOver.TO_STOCK);
        assertThat(insides.boostAccess()).isSameAs(RecordAccess.STOCK);
    }

    /**
     * As where the first record met a full heap: stock goes on, which needs none of our classes.
     */
    @Test
    void classesThatCannotBeInitialisedAreLeftToStock() {
        RecordAccess[] kept = {null};
        RecordAccess.Holder holder =
                new RecordAccess.Holder() {
                    @Override
                    public RecordAccess boostAccess() {
                        return kept[0];
                    }

                    @Override
                    public void boostAccess(RecordAccess access) {
                        kept[0] = access;
                    }

                    @Override
                    public RecordLayout boostLayout() {
                        return null;
                    }

                    @Override
                    public RecordAccess boostFind() {
                        throw new NoClassDefFoundError("Could not initialize class");
                    }
                };
        assertThat(RecordAccess.of(holder)).isNull();
        assertThat(kept[0]).as("not asked for again").isSameAs(RecordAccess.STOCK);
    }

    @Test
    void rowsAreMovedByTheirAccess() throws Exception {
        RowInsides insides = new RowInsides();
        Row record = Row.of(1, "x");
        do {
            Thread.sleep(1);
            RowSerializerPatch.copy(insides, record);
        } while (insides.boostAccess().isPreliminary());
        TypeSerializer<Object> stock = StockSerializers.row(SERIALIZERS, null, true);
        assertThat(ObjectText.ofCopy(RowSerializerPatch.copy(insides, record), record))
                .isEqualTo(ObjectText.ofCopy(stock.copy(record), record));
        DataOutputSerializer out = new DataOutputSerializer(1);
        assertThat(RowSerializerPatch.serialize(insides, record, out)).isTrue();
        DataOutputSerializer expected = new DataOutputSerializer(1);
        stock.serialize(record, expected);
        assertBytes(record, out, expected.getCopyOfBuffer());
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        assertThat(RowSerializerPatch.deserialize(insides, in)).isEqualTo(record);
    }
}
