// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.boost.records.MadeType;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.apache.flink.shaded.asm9.org.objectweb.asm.commons.CodeSizeEvaluator;
import org.junit.jupiter.api.Test;

/** Generated methods stay below the sizes above which HotSpot lets them alone. */
class MethodSizeTest {

    /** {@code FreqInlineSize}: a hot method above it is not inlined. */
    private static final int INLINED = 325;

    /** {@code HugeMethodLimit}: a method above it is never compiled. */
    private static final int COMPILED = 8_000;

    private static final Object[][] FIELDS = {
        {int.class, IntSerializer.INSTANCE},
        {double.class, BigDecSerializer.INSTANCE},
        {Integer.class, IntSerializer.INSTANCE},
        {Double.class, DoubleSerializer.INSTANCE},
        {Object.class, BigDecSerializer.INSTANCE},
        {CharSequence.class, BigDecSerializer.INSTANCE},
    };

    private static Map<String, Integer> sizes(MadeType made, int count, int kind)
            throws UnsuitableRecordException {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[count];
        for (int i = 0; i < count; i++) {
            Object[] field = FIELDS[kind < 0 ? i % FIELDS.length : kind];
            made.with("field" + i, (Class<?>) field[0]);
            serializers[i] = (TypeSerializer<?>) field[1];
        }
        Class<?> type = made.in(new MadeLoader());
        RecordShape shape = RecordShape.of(type, type.getDeclaredFields(), serializers);
        Map<String, Integer> sizes = new HashMap<>();
        new ClassReader(FieldCode.generate(shape, true)).accept(new Sizes(sizes), 0);
        return sizes;
    }

    @Test
    void thoseOfPojosAreInlined() throws Exception {
        for (int kind = -1; kind < FIELDS.length; kind++) {
            Map<String, Integer> sizes = sizes(MadeType.pojo("made.Row"), 60, kind);
            assertThat(sizes).containsKeys("copy", "copy1", "deserialize1", "serialize1");
            sizes.forEach(
                    (method, size) -> {
                        if (!method.equals("<init>")) {
                            assertThat(size).as(method).isLessThan(INLINED);
                        }
                    });
        }
    }

    @Test
    void thoseOfTheLargestOnesAreCompiled() throws Exception {
        for (int kind = -1; kind < FIELDS.length; kind++) {
            assertThat(sizes(MadeType.record("made.Row"), 100, kind).values())
                    .allMatch(size -> size < COMPILED);
            assertThat(sizes(MadeType.pojo("made.Row"), 1000, kind).entrySet())
                    .allMatch(each -> each.getKey().equals("<init>") || each.getValue() < COMPILED);
        }
    }

    private static final class Sizes extends ClassVisitor {

        private final Map<String, Integer> sizes;

        Sizes(Map<String, Integer> sizes) {
            super(Opcodes.ASM9);
            this.sizes = sizes;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return new CodeSizeEvaluator(null) {
                @Override
                public void visitEnd() {
                    sizes.put(name, getMaxSize());
                }
            };
        }
    }
}
