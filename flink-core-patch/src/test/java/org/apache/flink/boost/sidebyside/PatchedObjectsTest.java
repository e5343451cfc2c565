// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;

/** What serializers and the type analysis make of the patched classes that users have. */
class PatchedObjectsTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    private static final String VALUE = "org.apache.flink.types.StringValue";
    private static final String INPUT = "org.apache.flink.core.memory.DataInputDeserializer";
    private static final String OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer";

    @Test
    void objectsOfThemAreTheSameBytesInJavaSerialization() throws Exception {
        for (Object[] pair : new Object[][] {values(), inputs()}) {
            byte[] ours = Serialized.byJava(pair[0]);
            assertThat(Wire.hex(ours)).isEqualTo(Wire.hex(Serialized.byJava(pair[1])));
            // Each side reads what the other wrote.
            assertThat(javaObject(ours, Sides::stockType)).isInstanceOf(pair[1].getClass());
            assertThat(javaObject(ours, Sides::patchedType)).isInstanceOf(pair[0].getClass());
        }
    }

    /** The array of a value is part of its bytes; its hash code, once asked for, is too. */
    @Test
    void aValueThatWasAskedForItsHashCodeHasOtherBytes() throws IOException {
        Object[] values = values();
        byte[] before = Serialized.byJava(values[0]);
        assertThat(values[0].hashCode()).isEqualTo(values[1].hashCode());
        assertThat(Serialized.byJava(values[0]))
                .isNotEqualTo(before)
                .isEqualTo(Serialized.byJava(values[1]));
    }

    @Test
    void kryoWritesThemAsItDoesOnStock() throws IOException {
        for (Object[] pair : new Object[][] {values(), inputs()}) {
            String ours = Wire.hex(patched.serializedByKryo(pair[0]));
            assertThat(ours).isEqualTo(Wire.hex(stock.serializedByKryo(pair[1])));
            assertThat(ours).isNotEmpty();
        }
    }

    @Test
    void theTypeAnalysisSeesTheSameTypes() throws ReflectiveOperationException {
        String extractor = TypeExtractor.class.getName();
        for (String name : List.of(VALUE, INPUT, OUTPUT)) {
            Object ours = TypeExtractor.getForClass(Sides.patchedType(name));
            Object stocks =
                    Sides.stockType(extractor)
                            .getMethod("getForClass", Class.class)
                            .invoke(null, Sides.stockType(name));
            assertThat(ours).hasToString(stocks.toString());
            assertThat(ours.getClass().getName()).isEqualTo(stocks.getClass().getName());
            assertThat(ours.getClass().getSimpleName())
                    .isEqualTo(name.equals(VALUE) ? "ValueTypeInfo" : "GenericTypeInfo");
        }
    }

    private Object[] values() throws IOException {
        Object[] values = new Object[2];
        for (int side = 0; side < 2; side++) {
            Codec codec = side == 0 ? patched : stock;
            CharSequence value = codec.stringValue("a text that is longer than the next");
            byte[] bytes = Wire.encoded("caf\u00e9 \u6f22", 0);
            codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
            codec.readInto(value);
            values[side] = value;
        }
        return values;
    }

    private Object[] inputs() throws IOException {
        Object[] inputs = new Object[2];
        byte[] bytes = Wire.encoded("flink");
        byte[] two = Arrays.copyOf(bytes, 2 * bytes.length);
        for (int side = 0; side < 2; side++) {
            Codec codec = side == 0 ? patched : stock;
            codec.open(Input.DESERIALIZER, two, 0, two.length);
            assertThat(codec.readString()).isEqualTo("flink");
            inputs[side] = codec.input();
        }
        return inputs;
    }

    private static Object javaObject(byte[] bytes, Function<String, Class<?>> types)
            throws Exception {
        try (InputStream source = new ByteArrayInputStream(bytes);
                ObjectInputStream in = new SideInputStream(source, types)) {
            return in.readObject();
        }
    }

    /** Finds Flink's classes on one side. */
    private static final class SideInputStream extends ObjectInputStream {

        private final Function<String, Class<?>> types;

        SideInputStream(InputStream in, Function<String, Class<?>> types) throws IOException {
            super(in);
            this.types = types;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description)
                throws IOException, ClassNotFoundException {
            String name = description.getName();
            return name.startsWith("org.apache.flink.")
                    ? types.apply(name)
                    : super.resolveClass(description);
        }
    }
}
