// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.boost.records.MadeType;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;
import org.apache.flink.boost.strings.StringReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;
import org.apache.flink.shaded.asm9.org.objectweb.asm.commons.CodeSizeEvaluator;
import org.junit.jupiter.api.Test;

/** Methods stay below the sizes above which HotSpot lets them alone, or are above on purpose. */
class MethodSizeTest {

    /** {@code FreqInlineSize}: a hot method above it is not inlined. */
    private static final int INLINED = 325;

    /** What others call is compiled once; the parts of it are inlined into it. */
    private static final Set<String> CALLED = Set.of("copy", "serialize", "deserialize");

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
        new ClassReader(FieldCode.generate(shape, true))
                .accept(new Sizes(sizes, CodeSizeEvaluator::getMaxSize), 0);
        return sizes;
    }

    /** Of the methods of a class of the codec, at least. */
    private static Map<String, Integer> sizes(String name) throws IOException {
        try (InputStream file = StringReader.class.getResourceAsStream(name + ".class")) {
            Map<String, Integer> sizes = new HashMap<>();
            new ClassReader(file).accept(new Sizes(sizes, CodeSizeEvaluator::getMinSize), 0);
            return sizes;
        }
    }

    /** Inlined it would be compiled again in each class of records that has strings. */
    @Test
    void theReaderOfStringsIsNotInlined() throws IOException {
        for (String name : new String[] {"ArrayReader", "SegmentReader"}) {
            assertThat(sizes(name).get("read")).isGreaterThan(INLINED);
        }
    }

    @Test
    void partsOfPojosAreInlined() throws Exception {
        for (int kind = -1; kind < FIELDS.length; kind++) {
            Map<String, Integer> sizes = sizes(MadeType.pojo("made.Row"), 60, kind);
            assertThat(sizes).containsKeys("copy", "copy1", "deserialize1", "serialize1");
            sizes.forEach(
                    (method, size) -> {
                        if (CALLED.contains(method)) {
                            assertThat(size).as(method).isGreaterThan(INLINED);
                        } else if (!method.equals("<init>")) {
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
        private final ToIntFunction<CodeSizeEvaluator> size;

        Sizes(Map<String, Integer> sizes, ToIntFunction<CodeSizeEvaluator> size) {
            super(Opcodes.ASM9);
            this.sizes = sizes;
            this.size = size;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return new CodeSizeEvaluator(null) {
                @Override
                public void visitEnd() {
                    sizes.put(name, size.applyAsInt(this));
                }
            };
        }
    }
}
