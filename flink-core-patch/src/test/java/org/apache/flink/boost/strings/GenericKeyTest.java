// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Serialized;
import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A key of strings that were read, of a class that Flink leaves to Kryo: its bytes are where its
 * state is found again. Kryo writes the second occurrence of one object as a reference to the first
 * (its {@code setReferences(true)}, which Flink calls), and so does Java serialization.
 */
class GenericKeyTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    static Stream<String> texts() {
        return Stream.of("", "Y", "\u00e9", "\u6f22", "ab", "caf\u00e9", "a longer one");
    }

    @ParameterizedTest
    @MethodSource("texts")
    void kryoWritesTwoEqualStringsAsItDoesOnStock(String text) throws IOException {
        byte[] ours = patched.serializedByKryo(readTwice(patched, text));
        byte[] stocks = stock.serializedByKryo(readTwice(stock, text));

        assertThat(Wire.hex(ours)).isEqualTo(Wire.hex(stocks));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void javaSerializationWritesThemAsItDoesOnStock(String text) throws IOException {
        byte[] ours = Serialized.byJava(readTwice(patched, text));
        byte[] stocks = Serialized.byJava(readTwice(stock, text));

        assertThat(Wire.hex(ours)).isEqualTo(Wire.hex(stocks));
    }

    /** Both comparisons can fail: the same string twice gives other bytes. */
    @ParameterizedTest
    @MethodSource("texts")
    void oneObjectTwiceGivesOtherBytes(String text) throws IOException {
        Object[] two = readTwice(stock, text);
        Object[] one = {two[0], two[0]};

        assertThat(stock.serializedByKryo(one)).isNotEqualTo(stock.serializedByKryo(two));
        assertThat(Serialized.byJava(one)).isNotEqualTo(Serialized.byJava(two));
    }

    /** Two equal strings, each read on its own, as the fields of a record are. */
    private static Object[] readTwice(Codec codec, String text) throws IOException {
        byte[] value = Wire.encoded(text);
        byte[] record = Arrays.copyOf(value, 2 * value.length);
        System.arraycopy(value, 0, record, value.length, value.length);
        codec.open(Input.DESERIALIZER, record, 0, record.length);
        return new Object[] {codec.readString(), codec.readString()};
    }
}
