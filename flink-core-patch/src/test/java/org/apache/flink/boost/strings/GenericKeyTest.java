// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.IOException;
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

    static Stream<String> texts() {
        return Stream.of("", "Y", "\u00e9", "\u6f22", "ab", "caf\u00e9", "a longer one");
    }

    @ParameterizedTest
    @MethodSource("texts")
    void kryoWritesTwoEqualStringsAsItDoesOnStock(String text) throws IOException {
        byte[] patched =
                Serialized.byKryo(FlinkClasses.PATCHED, readTwice(FlinkClasses.PATCHED, text));
        byte[] stock = Serialized.byKryo(FlinkClasses.STOCK, readTwice(FlinkClasses.STOCK, text));

        assertThat(Wire.hex(patched)).isEqualTo(Wire.hex(stock));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void javaSerializationWritesThemAsItDoesOnStock(String text) throws IOException {
        byte[] patched = Serialized.byJava(readTwice(FlinkClasses.PATCHED, text));

        assertThat(Wire.hex(patched))
                .isEqualTo(Wire.hex(Serialized.byJava(readTwice(FlinkClasses.STOCK, text))));
    }

    /** Both comparisons can fail: the same string twice gives other bytes. */
    @ParameterizedTest
    @MethodSource("texts")
    void oneObjectTwiceGivesOtherBytes(String text) throws IOException {
        Object[] two = readTwice(FlinkClasses.STOCK, text);
        Object[] one = {two[0], two[0]};

        assertThat(Serialized.byKryo(FlinkClasses.STOCK, one))
                .isNotEqualTo(Serialized.byKryo(FlinkClasses.STOCK, two));
        assertThat(Serialized.byJava(one)).isNotEqualTo(Serialized.byJava(two));
    }

    /** Two equal strings, each read on its own, as the fields of a record are. */
    private static Object[] readTwice(FlinkClasses flink, String text) throws IOException {
        byte[] value = Wire.encoded(text);
        byte[] record = Arrays.copyOf(value, 2 * value.length);
        System.arraycopy(value, 0, record, value.length, value.length);
        DataInput in = flink.newInput(record, 0, record.length);
        return new Object[] {flink.readString(in), flink.readString(in)};
    }
}
