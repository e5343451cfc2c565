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
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.Serialized;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;

/** What serializers and the type analysis make of the patched classes that users have. */
class PatchedObjectsTest {

    private static final String VALUE = "org.apache.flink.types.StringValue";
    private static final String INPUT = "org.apache.flink.core.memory.DataInputDeserializer";
    private static final String OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer";

    @Test
    void objectsOfThemAreTheSameBytesInJavaSerialization() throws Exception {
        for (Object[] pair : new Object[][] {values(), inputs()}) {
            byte[] ours = Serialized.byJava(pair[0]);
            assertThat(Wire.hex(ours)).isEqualTo(Wire.hex(Serialized.byJava(pair[1])));
            // Each side reads what the other wrote.
            assertThat(javaObject(ours, FlinkClasses.STOCK)).isInstanceOf(pair[1].getClass());
            assertThat(javaObject(ours, FlinkClasses.PATCHED)).isInstanceOf(pair[0].getClass());
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
            String ours = Wire.hex(Serialized.byKryo(FlinkClasses.PATCHED, pair[0]));
            assertThat(ours).isEqualTo(Wire.hex(Serialized.byKryo(FlinkClasses.STOCK, pair[1])));
            assertThat(ours).isNotEmpty();
        }
    }

    @Test
    void theTypeAnalysisSeesTheSameTypes() throws IOException {
        String extractor = "org.apache.flink.api.java.typeutils.TypeExtractor";
        for (String name : List.of(VALUE, INPUT, OUTPUT)) {
            Object[] types = new Object[2];
            for (int side = 0; side < 2; side++) {
                FlinkClasses flink = side == 0 ? FlinkClasses.PATCHED : FlinkClasses.STOCK;
                types[side] = flink.invokeStatic(extractor, "getForClass", flink.type(name));
            }
            assertThat(types[0]).hasToString(types[1].toString());
            assertThat(types[0].getClass().getName()).isEqualTo(types[1].getClass().getName());
            assertThat(types[0].getClass().getSimpleName())
                    .isEqualTo(name.equals(VALUE) ? "ValueTypeInfo" : "GenericTypeInfo");
        }
    }

    private static Object[] values() throws IOException {
        Object[] values = new Object[2];
        for (int side = 0; side < 2; side++) {
            FlinkClasses flink = side == 0 ? FlinkClasses.PATCHED : FlinkClasses.STOCK;
            values[side] = flink.newStringValue("a text that is longer than the next");
            byte[] bytes = Wire.encoded("caf\u00e9 \u6f22", 0);
            flink.invoke(values[side], "read", flink.newInput(bytes, 0, bytes.length));
        }
        return values;
    }

    private static Object[] inputs() throws IOException {
        Object[] inputs = new Object[2];
        for (int side = 0; side < 2; side++) {
            FlinkClasses flink = side == 0 ? FlinkClasses.PATCHED : FlinkClasses.STOCK;
            byte[] bytes = Wire.encoded("flink");
            byte[] two = Arrays.copyOf(bytes, 2 * bytes.length);
            java.io.DataInput in = flink.newInput(two, 0, two.length);
            assertThat(flink.readString(in)).isEqualTo("flink");
            inputs[side] = in;
        }
        return inputs;
    }

    private static Object javaObject(byte[] bytes, FlinkClasses flink) throws Exception {
        try (InputStream source = new ByteArrayInputStream(bytes);
                ObjectInputStream in = new SideInputStream(source, flink)) {
            return in.readObject();
        }
    }

    /** Finds Flink's classes on one side. */
    private static final class SideInputStream extends ObjectInputStream {

        private final FlinkClasses flink;

        SideInputStream(InputStream in, FlinkClasses flink) throws IOException {
            super(in);
            this.flink = flink;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description)
                throws IOException, ClassNotFoundException {
            String name = description.getName();
            return name.startsWith("org.apache.flink.")
                    ? flink.type(name)
                    : super.resolveClass(description);
        }
    }
}
