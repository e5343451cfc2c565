// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
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
import org.apache.flink.api.common.typeutils.base.array.IntPrimitiveArraySerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields of superclasses that code of a nestmate cannot touch are moved by handles. */
class HiddenFieldTest {

    private static final Class<?>[] TYPES = {
        boolean.class,
        byte.class,
        short.class,
        char.class,
        int.class,
        long.class,
        float.class,
        double.class,
        String.class,
        Integer.class,
        Object.class,
        int[].class
    };
    private static final TypeSerializer<?>[] SERIALIZERS = {
        BooleanSerializer.INSTANCE,
        ByteSerializer.INSTANCE,
        ShortSerializer.INSTANCE,
        CharSerializer.INSTANCE,
        IntSerializer.INSTANCE,
        LongSerializer.INSTANCE,
        FloatSerializer.INSTANCE,
        DoubleSerializer.INSTANCE,
        StringSerializer.INSTANCE,
        IntSerializer.INSTANCE,
        StringSerializer.INSTANCE,
        IntPrimitiveArraySerializer.INSTANCE
    };
    private static final Object[] VALUES = {
        true, (byte) 1, (short) -2, 'x', 4, 5L, 6.5f, -7.25, "\u0436", 9, "any", new int[] {1, 2}
    };
    private static final Object[] NOTHING = {
        false, (byte) 0, (short) 0, 'y', 0, 0L, 0f, 0.0, null, null, null, null
    };

    /** Where such fields may be: the superclass, its package, and how they are declared. */
    static Stream<Place> places() {
        return Stream.of(
                new Place("made.Base", Opcodes.ACC_PUBLIC, Opcodes.ACC_PRIVATE),
                new Place("made.Base", 0, Opcodes.ACC_PRIVATE),
                new Place("made.Base", 0, Opcodes.ACC_PRIVATE | Opcodes.ACC_VOLATILE),
                new Place("elsewhere.Base", Opcodes.ACC_PUBLIC, 0),
                new Place("elsewhere.Base", Opcodes.ACC_PUBLIC, Opcodes.ACC_PROTECTED));
    }

    /** The superclass that declares the fields. */
    private static final class Place {

        private final String base;
        private final int classAccess;
        private final int access;

        Place(String base, int classAccess, int access) {
            this.base = base;
            this.classAccess = classAccess;
            this.access = access;
        }

        RecordPair pair(TypeSerializer<?>... serializers) {
            MadeLoader loader = new MadeLoader();
            MadeType made = MadeType.pojo(base).access(classAccess);
            for (int i = 0; i < TYPES.length; i++) {
                made.with("f" + i, TYPES[i], access);
            }
            Class<?> owner = made.in(loader);
            Class<?> type = MadeType.pojo("made.Row").extending(owner).in(loader);
            return new RecordPair(type, owner.getDeclaredFields(), serializers);
        }

        @Override
        public String toString() {
            return base + " " + classAccess + " " + access;
        }
    }

    private static int byHandle(RecordPair pair) throws Exception {
        return RecordShape.of(pair.type, pair.fields, pair.serializers).fieldsByHandle().size();
    }

    @ParameterizedTest
    @MethodSource("places")
    void ofEachTypeAreMovedAsByStock(Place place) throws Exception {
        RecordPair pair = place.pair(SERIALIZERS);
        assertThat(byHandle(pair)).isEqualTo(TYPES.length);
        for (Object[] values : new Object[][] {VALUES, NOTHING}) {
            Object record = pair.make(values);
            pair.assertSame(record);
            byte[] bytes = pair.bytes(record);
            pair.assertEndsAlike(bytes);
            // Null flags among them; behind is the length of the array.
            for (int i = 1; i < bytes.length - 12; i++) {
                byte[] changed = bytes.clone();
                changed[i] = 1;
                pair.assertEndAlike(changed);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void whatTheyDoNotTakeIsRefusedAsByStock(Place place) throws Exception {
        for (Object given : new Object[] {null, "text", 'x', 7, new int[0], new Object()}) {
            TypeSerializer<?>[] giving = new TypeSerializer<?>[TYPES.length];
            for (int i = 0; i < TYPES.length; i++) {
                // Of the others each takes its own.
                TypeSerializer<?>[] serializers = SERIALIZERS.clone();
                serializers[i] = new GivingSerializer(given);
                giving[i] = serializers[i];
                RecordPair pair = place.pair(serializers);
                pair.assertSame(pair.make(VALUES));
            }
            RecordPair pair = place.pair(giving);
            pair.assertSame(pair.make(VALUES));
        }
    }

    /** Code that names the class of a field means the first with that name that it finds. */
    @Test
    void oneOfTheSuperclassAndOneOfTheClassWithItsName() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> base = MadeType.pojo("made.Base").with("a", int.class).in(loader);
        Class<?> type = MadeType.pojo("made.Row").with("a", int.class).extending(base).in(loader);
        Field[] fields = {type.getDeclaredField("a"), base.getDeclaredField("a")};
        RecordPair pair =
                new RecordPair(type, fields, IntSerializer.INSTANCE, IntSerializer.INSTANCE);
        assertThat(byHandle(pair)).isEqualTo(1);
        pair.assertSame(pair.make(1, 2));
    }

    /** Of a library, whose class loader is another one. */
    public static class Base {
        private int number;
        private String text;

        @Override
        public String toString() {
            return number + text;
        }
    }

    @Test
    void ofASuperclassOfAnotherClassLoader() throws Exception {
        Class<?> type = MadeType.pojo("made.Row").extending(Base.class).in(new MadeLoader());
        Field[] fields = {
            Base.class.getDeclaredField("text"), Base.class.getDeclaredField("number")
        };
        RecordPair pair =
                new RecordPair(type, fields, StringSerializer.INSTANCE, IntSerializer.INSTANCE);
        assertThat(byHandle(pair)).isEqualTo(2);
        pair.assertSame(pair.make("\u0436", 7));
    }

    @Test
    void asManyAsAClassMayHave() throws Exception {
        int count = 1000;
        MadeType made = MadeType.pojo("elsewhere.Base");
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[count];
        Object[] values = new Object[count];
        for (int i = 0; i < count; i++) {
            made.with("f" + i, i % 2 == 0 ? long.class : String.class);
            serializers[i] = i % 2 == 0 ? LongSerializer.INSTANCE : StringSerializer.INSTANCE;
            values[i] = i % 2 == 0 ? (Object) (long) i : "text " + i;
        }
        MadeLoader loader = new MadeLoader();
        Class<?> base = made.in(loader);
        Class<?> type = MadeType.pojo("made.Row").extending(base).in(loader);
        RecordPair pair = new RecordPair(type, base.getDeclaredFields(), serializers);
        assertThat(byHandle(pair)).isEqualTo(count);
        pair.assertSame(pair.make(values));
    }
}
