// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields of fixed width that follow each other, which are moved at once where all bytes are. */
class FixedFieldsTest {

    private static final Object[][] FIELDS = {
        {boolean.class, BooleanSerializer.INSTANCE, true},
        {byte.class, ByteSerializer.INSTANCE, (byte) -128},
        {short.class, ShortSerializer.INSTANCE, (short) -2},
        {char.class, CharSerializer.INSTANCE, '\uff00'},
        {int.class, IntSerializer.INSTANCE, 0x80010203},
        {long.class, LongSerializer.INSTANCE, 0x8001020304050607L},
        {float.class, FloatSerializer.INSTANCE, Float.intBitsToFloat(0x7fa00001)},
        {double.class, DoubleSerializer.INSTANCE, Double.longBitsToDouble(-2L)},
        {boolean.class, BooleanSerializer.INSTANCE, false},
        {String.class, StringSerializer.INSTANCE, "a text"},
        {int.class, IntSerializer.INSTANCE, 7},
        {boolean.class, BooleanSerializer.INSTANCE, true},
    };

    static Stream<RecordPair> pairs() {
        return Stream.of(MadeType.pojo("made.Row"), MadeType.record("made.Row"))
                .map(FixedFieldsTest::pair);
    }

    private static RecordPair pair(MadeType made) {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[FIELDS.length];
        for (int i = 0; i < FIELDS.length; i++) {
            made.with("field" + i, (Class<?>) FIELDS[i][0]);
            serializers[i] = (TypeSerializer<?>) FIELDS[i][1];
        }
        return new RecordPair(made.in(new MadeLoader()), serializers);
    }

    private static Object record(RecordPair pair) throws Exception {
        return pair.make(Arrays.stream(FIELDS).map(each -> each[2]).toArray());
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void allKindsAreMovedAsByStock(RecordPair pair) throws Exception {
        pair.assertSame(record(pair));
    }

    /** With room for any number of bytes, and other bytes in front: stock's growth, too. */
    @ParameterizedTest
    @MethodSource("pairs")
    void anArrayGrowsAsByStock(RecordPair pair) throws Exception {
        Object record = record(pair);
        for (int size = 1; size <= pair.bytes(record).length + 4; size++) {
            DataOutputSerializer stock = new DataOutputSerializer(size);
            DataOutputSerializer ours = new DataOutputSerializer(size);
            stock.write(9);
            ours.write(9);
            pair.stock.serialize(record, stock);
            assertThat(pair.access().serialize(record, ours)).isTrue();
            assertThat(ours.getCopyOfBuffer()).isEqualTo(stock.getCopyOfBuffer());
            assertThat(ours.getSharedBuffer()).hasSameSizeAs(stock.getSharedBuffer());
        }
    }

    /** Cut off anywhere, and with any byte another one: flags of null, booleans of two. */
    @ParameterizedTest
    @MethodSource("pairs")
    void anyDamageEndsAsByStock(RecordPair pair) throws Exception {
        byte[] bytes = pair.bytes(record(pair));
        for (int length = 1; length < bytes.length; length++) {
            pair.assertSameRead(Arrays.copyOf(bytes, length));
        }
        for (int i = 1; i < bytes.length; i++) {
            for (byte value : new byte[] {0, 1, 2, 3, -1}) {
                byte[] changed = bytes.clone();
                changed[i] = value;
                pair.assertSameRead(changed);
            }
        }
    }

    /** A part of an array, with what would be the rest of the record behind its end. */
    @ParameterizedTest
    @MethodSource("pairs")
    void aPartOfAnArrayEndsAsByStock(RecordPair pair) throws Exception {
        byte[] record = pair.bytes(record(pair));
        byte[] bytes = new byte[3 + record.length];
        System.arraycopy(record, 0, bytes, 3, record.length);
        for (int length = 1; length <= record.length; length++) {
            DataInputDeserializer stock = new DataInputDeserializer(bytes, 3, length);
            DataInputDeserializer ours = new DataInputDeserializer(bytes, 3, length);
            Witness.reset();
            String expected = Outcome.of(() -> ObjectText.of(pair.stock.deserialize(stock)));
            assertThat(expected.contains("EOFException")).isEqualTo(length < record.length);
            Witness.reset();
            RecordAccess access = pair.access();
            assertThat(Outcome.of(() -> ObjectText.of(access.deserialize(ours))))
                    .isEqualTo(expected);
            assertThat(ours.available()).isEqualTo(stock.available());
        }
    }
}
