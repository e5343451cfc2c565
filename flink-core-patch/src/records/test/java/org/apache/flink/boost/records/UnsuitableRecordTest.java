// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Point;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.junit.jupiter.api.Test;

/** Each reason to leave a class to stock, once by a class that has just that. */
class UnsuitableRecordTest {

    private static final int OPEN = Opcodes.ACC_PUBLIC;

    private static Reason reason(Class<?> type) throws Exception {
        return new RecordPair(type, IntSerializer.INSTANCE).reason();
    }

    private static MadeType row() {
        return MadeType.pojo("made.Row").with("a", int.class);
    }

    /** Stock goes on as if there were no other: the access takes nothing. */
    private static void assertStocks(Class<?> type, Field... fields) throws Exception {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[fields.length];
        Arrays.fill(serializers, IntSerializer.INSTANCE);
        RecordAccess access = Accesses.ofFields(type, fields, serializers);
        assertThat(access).isSameAs(RecordAccess.STOCK);
        assertThat(access.copy(new Object())).isSameAs(RecordAccess.TO_STOCK);
        assertThat(access.serialize(new Object(), new DataOutputSerializer(1))).isFalse();
        assertThat(access.deserialize(null)).isSameAs(RecordAccess.TO_STOCK);
    }

    @Test
    void oneOfTheJdks() throws Exception {
        Field[] fields = {Point.class.getField("x"), Point.class.getField("y")};
        RecordPair pair =
                new RecordPair(Point.class, fields, IntSerializer.INSTANCE, IntSerializer.INSTANCE);
        assertThat(pair.reason()).isEqualTo(Reason.JDK_CLASS);
        assertStocks(Point.class, fields);
    }

    @Test
    void besideFlinkASecondTime() throws Exception {
        MadeLoader childFirst = new MadeLoader();
        childFirst.define(TypeSerializer.class.getName(), classFile(TypeSerializer.class));
        Class<?> type = row().in(childFirst);
        RecordPair pair = new RecordPair(type, IntSerializer.INSTANCE);
        assertThat(pair.reason()).isEqualTo(Reason.OTHER_FLINK);
    }

    @Test
    void whereFlinkBoostIsNotSeen() throws Exception {
        MadeLoader childFirst = new MadeLoader();
        childFirst.define(RecordAccess.class.getName(), classFile(RecordAccess.class));
        RecordPair pair = new RecordPair(row().in(childFirst), IntSerializer.INSTANCE);
        assertThat(pair.reason()).isEqualTo(Reason.JDK_CLASS);
    }

    private static byte[] classFile(Class<?> type) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        try (InputStream file = type.getClassLoader().getResourceAsStream(name)) {
            return file.readAllBytes();
        }
    }

    @Test
    void withoutASerializer() throws Exception {
        Class<?> type = row().in(new MadeLoader());
        RecordPair pair = new RecordPair(type, (TypeSerializer<?>) null);
        assertThat(pair.reason()).isEqualTo(Reason.FAILED);
    }

    @Test
    void notPublic() throws Exception {
        assertThat(reason(row().access(0).in(new MadeLoader()))).isEqualTo(Reason.NOT_PUBLIC);
        assertThat(reason(row().constructorAccess(0).in(new MadeLoader())))
                .isEqualTo(Reason.NOT_PUBLIC);
    }

    @Test
    void abstractOnes() throws Exception {
        Class<?> type = row().access(OPEN | Opcodes.ACC_ABSTRACT).in(new MadeLoader());
        assertThat(reason(type)).isEqualTo(Reason.NOT_A_CLASS);
    }

    @Test
    void aFieldThatIsGone() throws Exception {
        Class<?> type = row().in(new MadeLoader());
        Field[] fields = {null, type.getDeclaredField("a")};
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE, IntSerializer.INSTANCE};
        assertThat(Accesses.generated(type, fields, serializers).outcome().get().reason())
                .isEqualTo(Reason.REMOVED_FIELD);
        assertStocks(type, fields);
    }

    @Test
    void finalAndStaticFields() throws Exception {
        for (int flag : new int[] {Opcodes.ACC_FINAL, Opcodes.ACC_STATIC}) {
            Class<?> type =
                    MadeType.pojo("made.Row")
                            .with("a", int.class, OPEN | flag)
                            .in(new MadeLoader());
            assertThat(reason(type)).isEqualTo(Reason.FIXED_FIELD);
        }
    }

    /** Stock's exception says of which class it is. */
    @Test
    void aFieldOfAnotherClass() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> other = MadeType.pojo("made.Other").with("a", int.class).in(loader);
        RecordPair pair =
                new RecordPair(row().in(loader), other.getDeclaredFields(), IntSerializer.INSTANCE);
        assertThat(pair.reason()).isEqualTo(Reason.FAILED);
    }

    @Test
    void typesOfFieldsThatAreNotSeen() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> hidden = MadeType.pojo("elsewhere.Hidden").access(0).in(loader);
        for (Class<?> each : new Class<?>[] {hidden, Array.newInstance(hidden, 0).getClass()}) {
            Class<?> type =
                    MadeType.pojo("made.Of" + each.getSimpleName().replace("[]", "s"))
                            .with("a", each)
                            .in(loader);
            assertThat(new RecordPair(type, new GivingSerializer(null)).reason())
                    .isEqualTo(Reason.HIDDEN_TYPE);
        }
    }

    @Test
    void recordsWithAComponentThatNobodySerializes() throws Exception {
        Class<?> type =
                MadeType.record("made.Row")
                        .with("a", int.class)
                        .with("b", int.class)
                        .in(new MadeLoader());
        Field[] fields = {type.getDeclaredField("b")};
        assertThat(new RecordPair(type, fields, IntSerializer.INSTANCE).reason())
                .isEqualTo(Reason.NOT_ITS_COMPONENTS);
        assertStocks(type, fields);
    }

    @Test
    void tooManyFields() throws Exception {
        assertThat(withFields(MadeType.record("made.Row"), 101, int.class, IntSerializer.INSTANCE))
                .isEqualTo(Reason.TOO_LARGE);
        assertThat(withFields(MadeType.record("made.Row"), 100, int.class, IntSerializer.INSTANCE))
                .isNull();
        assertThat(
                        withFields(
                                MadeType.record("made.Row"),
                                100,
                                long.class,
                                LongSerializer.INSTANCE))
                .isNull();
        assertThat(withFields(MadeType.pojo("made.Row"), 1001, int.class, IntSerializer.INSTANCE))
                .isEqualTo(Reason.TOO_LARGE);
        assertThat(withFields(MadeType.pojo("made.Row"), 1000, int.class, IntSerializer.INSTANCE))
                .isNull();
    }

    private static Reason withFields(
            MadeType made, int count, Class<?> type, TypeSerializer<?> serializer)
            throws Exception {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[count];
        for (int i = 0; i < count; i++) {
            made.with("f" + i, type);
            serializers[i] = serializer;
        }
        return new RecordPair(made.in(new MadeLoader()), serializers).reason();
    }

    /** A tuple of somebody's own class. */
    @SuppressWarnings("unchecked")
    public static class Pair extends Tuple2<Integer, Integer> {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void tuplesOfAnotherClassAndRowsOfManyFields() throws Exception {
        TypeSerializer<?>[] two = {IntSerializer.INSTANCE, IntSerializer.INSTANCE};
        assertThat(Accesses.tuples(Tuple2.class, two).outcome().get().reason()).isNull();
        assertThat(Accesses.tuples(Pair.class, two).outcome().get().reason())
                .isEqualTo(Reason.OTHER_TUPLE);
        assertThat(Accesses.ofTuple(Pair.class, two)).isSameAs(RecordAccess.STOCK);
        TypeSerializer<?>[] many = new TypeSerializer<?>[63];
        Arrays.fill(many, IntSerializer.INSTANCE);
        assertThat(Accesses.rows(two, true).outcome().get().reason()).isNull();
        assertThat(Accesses.rows(many, true).outcome().get().reason()).isEqualTo(Reason.TOO_LARGE);
    }

    /** What an operator is told names the field. */
    @Test
    void theFieldThatItIsAbout() throws Exception {
        Class<?> type =
                MadeType.pojo("made.Row")
                        .with("total", int.class, OPEN | Opcodes.ACC_FINAL)
                        .in(new MadeLoader());
        TypeSerializer<?>[] one = {IntSerializer.INSTANCE};
        assertThat(
                        Accesses.generated(type, type.getDeclaredFields(), one)
                                .outcome()
                                .get()
                                .sentence())
                .isEqualTo(Reason.FIXED_FIELD.sentence() + ": total");
    }

    @Test
    void tooManyOrdersOfTheSameFields() throws Exception {
        MadeType made = MadeType.pojo("made.Row");
        for (int i = 0; i < 17; i++) {
            made.with("f" + i, int.class);
        }
        Class<?> type = made.in(new MadeLoader());
        Field[] all = type.getDeclaredFields();
        for (int i = 0; i < 17; i++) {
            Field[] one = {all[i]};
            assertThat(new RecordPair(type, one, IntSerializer.INSTANCE).reason())
                    .isEqualTo(i < 16 ? null : Reason.TOO_MANY_SHAPES);
        }
        assertStocks(type, all[16]);
    }

    /** What cannot be generated is tried once, and stock does it for ever. */
    @Test
    void whatCannotBeGenerated() throws Exception {
        MadeLoader loader = new MadeLoader();
        // Somebody else's class has the name of the one that gives us its look-up.
        loader.define("made.FlinkBoostLookup", named("made.FlinkBoostLookup"));
        Class<?> type = row().in(loader);
        assertThat(reason(type)).isEqualTo(Reason.FAILED);
        assertStocks(type, type.getDeclaredFields());
        RecordPair pair = new RecordPair(type, IntSerializer.INSTANCE);
        Object value = pair.make(5);
        assertThat(pair.stockCopy(value)).contains("5");
    }

    /**
     * A class loader may throw what it does not declare; the thread that generates survives that.
     */
    @Test
    void whereTheClassLoaderFails() throws Exception {
        Throwable[] failures = {new IOException("closed"), new IllegalStateException("closed")};
        for (Throwable failure : failures) {
            Class<?> type = row().in(new FailingLoader(failure));
            assertThat(reason(type)).isEqualTo(Reason.FAILED);
            assertStocks(type, type.getDeclaredFields());
        }
    }

    /** Does not load our classes any more, as when the file of a job's jar cannot be read. */
    private static final class FailingLoader extends MadeLoader {

        private final Throwable failure;

        FailingLoader(Throwable failure) {
            this.failure = failure;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(RecordAccess.class.getName())) {
                FailingLoader.<RuntimeException>fail(failure);
            }
            return super.loadClass(name, resolve);
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> void fail(Throwable failure) throws E {
            throw (E) failure;
        }
    }

    private static byte[] named(String name) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V11, OPEN, name.replace('.', '/'), null, "java/lang/Object", null);
        return writer.toByteArray();
    }

    @Test
    void eachReasonIsASentence() {
        for (Reason reason : Reason.values()) {
            assertThat(reason.sentence()).doesNotEndWith(".").contains(" ");
        }
    }
}
