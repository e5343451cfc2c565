// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
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
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What generated code does with records of one class, beside what stock does. */
class RecordAccessTest {

    private static final Class<?>[] PRIMITIVES = {
        boolean.class,
        byte.class,
        short.class,
        char.class,
        int.class,
        long.class,
        float.class,
        double.class
    };
    private static final Class<?>[] BOXES = {
        Boolean.class,
        Byte.class,
        Short.class,
        Character.class,
        Integer.class,
        Long.class,
        Float.class,
        Double.class
    };
    private static final TypeSerializer<?>[] SERIALIZERS = {
        BooleanSerializer.INSTANCE,
        ByteSerializer.INSTANCE,
        ShortSerializer.INSTANCE,
        CharSerializer.INSTANCE,
        IntSerializer.INSTANCE,
        LongSerializer.INSTANCE,
        FloatSerializer.INSTANCE,
        DoubleSerializer.INSTANCE
    };
    private static final Object[][] VALUES = {
        {true, (byte) -1, Short.MIN_VALUE, '\uffff', -5, Long.MIN_VALUE, Float.NaN, -0.0},
        {false, (byte) 0, (short) 0, '\0', 0, 0L, 0f, 0d},
        {true, (byte) 127, (short) 1000, 'x', 1000, 1L << 40, 1e30f, Double.longBitsToDouble(-1L)},
    };

    private static MadeType made(boolean record) {
        return record ? MadeType.record("made.Row") : MadeType.pojo("made.Row");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void primitivesAndBoxesOfEveryKind(boolean record) throws Exception {
        MadeType made = made(record);
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[16];
        for (int i = 0; i < 8; i++) {
            made.with("plain" + i, PRIMITIVES[i]).with("boxed" + i, BOXES[i]);
            serializers[2 * i] = SERIALIZERS[i];
            serializers[2 * i + 1] = SERIALIZERS[i];
        }
        RecordPair pair = new RecordPair(made.in(new MadeLoader()), serializers);
        for (Object[] values : VALUES) {
            Object[] twice = new Object[16];
            Object[] withoutBoxes = new Object[16];
            for (int i = 0; i < 8; i++) {
                twice[2 * i] = values[i];
                twice[2 * i + 1] = values[i];
                withoutBoxes[2 * i] = values[i];
            }
            pair.assertSame(pair.make(twice));
            pair.assertSame(pair.make(withoutBoxes));
        }
    }

    /** A serializer of ours in a field of another type than its own is as any other one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void serializersBesideTheTypesThatTheyAreFor(boolean record) throws Exception {
        Class<?> type =
                made(record)
                        .with("object", Object.class)
                        .with("text", CharSequence.class)
                        .in(new MadeLoader());
        RecordPair pair = new RecordPair(type, IntSerializer.INSTANCE, StringSerializer.INSTANCE);
        pair.assertSame(pair.make(5, "five"));
        pair.assertSame(pair.make(null, null));
        Object wrong = pair.make("no number", "five");
        assertThat(pair.ourWrite(wrong)).isEqualTo(pair.stockWrite(wrong)).contains("ClassCast");
        assertThat(pair.ourCopy(wrong)).isEqualTo(pair.stockCopy(wrong)).contains("ClassCast");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeOnesAreCutIntoMethods(boolean record) throws Exception {
        int count = record ? 100 : 500;
        MadeType made = made(record);
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[count];
        Object[] values = new Object[count];
        for (int i = 0; i < count; i++) {
            made.with("f" + i, i % 2 == 0 ? int.class : CharSequence.class);
            serializers[i] = i % 2 == 0 ? IntSerializer.INSTANCE : StringSerializer.INSTANCE;
            values[i] = i % 2 == 0 ? (Object) i : "text " + i;
        }
        RecordPair pair = new RecordPair(made.in(new MadeLoader()), serializers);
        pair.assertSame(pair.make(values));
    }

    /** What a field does not take, stock finds out by reflection, with words of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void valuesThatAFieldDoesNotTakeEndAsInStock(boolean record) throws Exception {
        Class<?>[] types = {int.class, long.class, String.class, List.class, int[].class};
        Object[] given = {null, 5, 5L, (short) 5, "text", new ArrayList<>(), new int[2], 'c'};
        Object[] first = {1, 1L, "", new ArrayList<>(), new int[0]};
        for (int i = 0; i < types.length; i++) {
            Class<?> type =
                    made(record)
                            .with("before", int.class)
                            .with("field", types[i])
                            .with("behind", int.class)
                            .in(new MadeLoader());
            for (Object each : given) {
                RecordPair pair =
                        new RecordPair(
                                type,
                                IntSerializer.INSTANCE,
                                new GivingSerializer(each),
                                IntSerializer.INSTANCE);
                pair.assertSame(pair.make(1, first[i], 3));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatASerializerThrowsComesThrough(boolean record) throws Exception {
        Class<?> type =
                made(record).with("a", int.class).with("b", String.class).in(new MadeLoader());
        RecordPair pair =
                new RecordPair(
                        type,
                        IntSerializer.INSTANCE,
                        new GivingSerializer(new IllegalStateException("no")));
        Object value = pair.make(1, "x");
        assertThat(pair.ourCopy(value)).isEqualTo(pair.stockCopy(value)).contains("no");
        assertThat(pair.ourWrite(value)).isEqualTo(pair.stockWrite(value)).contains("no");
        byte[] bytes = {2, 0, 0, 0, 0, 1, 0, 7, 9};
        assertThat(pair.ourRead(bytes)).isEqualTo(pair.stockRead(bytes)).contains("no");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nullWhereAPrimitiveIsExpected(boolean record) throws Exception {
        for (int i = 0; i < PRIMITIVES.length; i++) {
            Class<?> type =
                    made(record)
                            .with("field", PRIMITIVES[i])
                            .with("behind", int.class)
                            .in(new MadeLoader());
            RecordPair pair = new RecordPair(type, SERIALIZERS[i], IntSerializer.INSTANCE);
            byte[] bytes = {2, 1, 0, 0, 0, 0, 1, 5};
            assertThat(pair.ourRead(bytes))
                    .isEqualTo(pair.stockRead(bytes))
                    .contains("IllegalArgumentException");
        }
    }

    @Test
    void whatIsOfAnotherClassIsHandedOverUntouched() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> type = MadeType.pojo("made.Base").with("a", int.class).in(loader);
        Class<?> below = MadeType.pojo("made.Below").extending(type).in(loader);
        RecordPair pair = new RecordPair(type, IntSerializer.INSTANCE);
        RecordAccess access = pair.access();
        DataOutputSerializer out = new DataOutputSerializer(8);
        for (Object other : new Object[] {null, below.getConstructor().newInstance(), "x"}) {
            assertThat(access.copy(other)).isSameAs(RecordAccess.TO_STOCK);
            assertThat(access.serialize(other, out)).isFalse();
        }
        assertThat(out.length()).isZero();
    }

    @Test
    void fieldsOfASuperclassThatCanBeSeenAreMoved() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> base =
                MadeType.pojo("made.Base")
                        .with("open", int.class, Opcodes.ACC_PUBLIC)
                        .with("guarded", String.class, Opcodes.ACC_PROTECTED)
                        .with("near", long.class, 0)
                        .in(loader);
        Class<?> type = MadeType.pojo("made.Row").extending(base).with("own", int.class).in(loader);
        Field[] fields = {
            type.getDeclaredField("own"),
            base.getDeclaredField("open"),
            base.getDeclaredField("guarded"),
            base.getDeclaredField("near"),
        };
        RecordPair pair =
                new RecordPair(
                        type,
                        fields,
                        IntSerializer.INSTANCE,
                        IntSerializer.INSTANCE,
                        StringSerializer.INSTANCE,
                        LongSerializer.INSTANCE);
        pair.assertSame(pair.make(1, 2, "three", 4L));
    }

    /**
     * The generated class is one for all serializers of a shape, so that calls of it are as few.
     */
    @Test
    void serializersOfOneShapeShareTheirClass() throws Exception {
        Class<?> type = MadeType.pojo("made.Row").with("a", int.class).in(new MadeLoader());
        RecordAccess one = new RecordPair(type, IntSerializer.INSTANCE).access();
        RecordAccess same = new RecordPair(type, IntSerializer.INSTANCE).access();
        RecordAccess other = new RecordPair(type, new GivingSerializer(1)).access();
        assertThat(one.getClass()).isSameAs(same.getClass()).isNotSameAs(other.getClass());
        assertThat(one).isNotSameAs(same);
    }

    @Test
    void theFlagsAreReadWithTheRecord() throws Exception {
        Class<?> type = MadeType.pojo("made.Row").with("a", int.class).in(new MadeLoader());
        RecordPair pair = new RecordPair(type, IntSerializer.INSTANCE);
        DataInputDeserializer in = new DataInputDeserializer(pair.bytes(pair.make(7)));
        assertThat(ObjectText.of(pair.access().deserialize(in))).contains("7");
        assertThat(in.available()).isZero();
    }
}
