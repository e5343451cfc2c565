// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A key of strings that were read, of a class that Flink leaves to Kryo: its bytes are where its
 * state is found again. Kryo writes the second occurrence of one object as a reference to the first
 * (its {@code setReferences(true)}, which Flink calls), and so does Java serialization.
 */
class GenericKeyTest {

    private static final String KRYO =
            "org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer";

    static Stream<String> texts() {
        return Stream.of("", "Y", "\u00e9", "\u6f22", "ab", "caf\u00e9", "a longer one");
    }

    @ParameterizedTest
    @MethodSource("texts")
    void kryoWritesTwoEqualStringsAsItDoesOnStock(String text) throws IOException {
        byte[] patched = byKryo(FlinkClasses.PATCHED, readTwice(FlinkClasses.PATCHED, text));
        byte[] stock = byKryo(FlinkClasses.STOCK, readTwice(FlinkClasses.STOCK, text));

        assertThat(Wire.hex(patched)).isEqualTo(Wire.hex(stock));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void javaSerializationWritesThemAsItDoesOnStock(String text) throws IOException {
        byte[] patched = byJava(readTwice(FlinkClasses.PATCHED, text));

        assertThat(Wire.hex(patched))
                .isEqualTo(Wire.hex(byJava(readTwice(FlinkClasses.STOCK, text))));
    }

    /** Both comparisons can fail: the same string twice gives other bytes. */
    @ParameterizedTest
    @MethodSource("texts")
    void oneObjectTwiceGivesOtherBytes(String text) throws IOException {
        String[] two = readTwice(FlinkClasses.STOCK, text);
        String[] one = {two[0], two[0]};

        assertThat(byKryo(FlinkClasses.STOCK, one)).isNotEqualTo(byKryo(FlinkClasses.STOCK, two));
        assertThat(byJava(one)).isNotEqualTo(byJava(two));
    }

    /** Two equal strings, each read on its own, as the fields of a record are. */
    private static String[] readTwice(FlinkClasses flink, String text) throws IOException {
        byte[] value = Wire.encoded(text);
        byte[] record = Arrays.copyOf(value, 2 * value.length);
        System.arraycopy(value, 0, record, value.length, value.length);
        DataInput in = flink.newInput(record, 0, record.length);
        return new String[] {flink.readString(in), flink.readString(in)};
    }

    private static byte[] byKryo(FlinkClasses flink, String[] key) throws IOException {
        // The settings moved out of ExecutionConfig in Flink 2.
        String settings = "org.apache.flink.api.common.serialization.SerializerConfigImpl";
        Object config =
                flink.create(
                        flink.has(settings)
                                ? settings
                                : "org.apache.flink.api.common.ExecutionConfig");
        Object serializer = flink.create(KRYO, Object[].class, config);
        DataOutput out = flink.newOutput(64);
        flink.invoke(serializer, "serialize", new Object[] {key[0], key[1]}, out);
        return Arrays.copyOf(
                (byte[]) FlinkClasses.field(out, "buffer"),
                (int) FlinkClasses.field(out, "position"));
    }

    private static byte[] byJava(String[] key) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Object[] {key[0], key[1]});
        }
        return bytes.toByteArray();
    }
}
