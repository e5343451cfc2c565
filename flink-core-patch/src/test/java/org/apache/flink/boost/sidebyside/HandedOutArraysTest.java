// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.StreamUse.Writer;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Arrays that others see: those that a stream is given, which stock gives none, and the one of a
 * {@code DataOutputSerializer}, which everybody may keep.
 */
class HandedOutArraysTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    /** As streams do that encrypt or swap in place: what they were given is theirs to change. */
    @ParameterizedTest
    @EnumSource(Writer.class)
    void aStreamMayChangeTheArrayThatItIsGiven(Writer writer) {
        SplittableRandom random = new SplittableRandom(77);
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length : new int[] {8, 9, 40, 2047, 2048, 2049, 7000}) {
                String text = kind.text(random, length);
                for (int filler : new int[] {0, 0x80, 0xFF}) {
                    Changing stream = new Changing((byte) filler);
                    assertThat(writer.failure(patched, text, stream)).isNull();
                    if (!Arrays.equals(stream.taken.toByteArray(), writer.encoded(text))) {
                        assertThat(Wire.hex(stream.taken.toByteArray()))
                                .isEqualTo(Wire.hex(writer.encoded(text)));
                    }
                }
            }
        }
    }

    /** The stream really gets arrays and really changes them. */
    @Test
    void theStreamAboveChangesArrays() {
        Changing stream = new Changing((byte) 0x80);
        byte[] given = {1, 2, 3};
        stream.write(given, 1, 2);
        assertThat(given).isEqualTo(new byte[] {1, (byte) 0x80, (byte) 0x80});
        assertThat(stream.taken.toByteArray()).isEqualTo(new byte[] {2, 3});
        Changing ofString = new Changing((byte) 0);
        Writer.WRITE_STRING.failure(patched, "an array of it", ofString);
        assertThat(ofString.arrays).isEqualTo(BoostMode.ENABLED ? 1 : 0);
    }

    /** The difference that stays: the array is used again, so that keeping it is of no use. */
    @Test
    void aStreamThatKeepsTheArrayLosesItsContent() {
        Keeping ours = new Keeping();
        Keeping stocks = new Keeping();
        for (String text : new String[] {"the first text", "and another one"}) {
            Writer.WRITE_STRING.failure(patched, text, ours);
            Writer.WRITE_STRING.failure(stock, text, stocks);
        }
        byte[] expected = stocks.bytes();
        assertThat(Arrays.copyOf(expected, 15)).isEqualTo(Wire.encoded("the first text"));
        assertThat(Arrays.equals(ours.bytes(), expected)).isEqualTo(!BoostMode.ENABLED);
    }

    /** Who keeps the array of a serializer keeps it as long as with stock. */
    @Test
    void theArrayOfASerializerIsReplacedWhenStockReplacesIt() throws IOException {
        SplittableRandom random = new SplittableRandom(78);
        int replaced = 0;
        for (int round = 0; round < 2000; round++) {
            String text = Texts.any(random);
            int capacity = 1 + random.nextInt(2 * Wire.encoded(text).length);
            boolean ours = isReplacedBy(patched, capacity, text);
            assertThat(ours).as(text).isEqualTo(isReplacedBy(stock, capacity, text));
            replaced += ours ? 1 : 0;
        }
        assertThat(replaced).isBetween(100, 1900);
    }

    /** The other difference: ours grows first, and leaves the array that it leaves as it was. */
    @Test
    void anArrayThatIsLeftHasNoBeginningOfTheValue() throws IOException {
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(Output.SERIALIZER, 4);
            byte[] left = codec.written();
            codec.writeString("more than there is room for");
            boolean filled = codec == stock || !BoostMode.ENABLED;
            assertThat(left).isEqualTo(filled ? new byte[] {28, 'm', 'o', 'r'} : new byte[4]);
        }
    }

    private static boolean isReplacedBy(Codec codec, int capacity, String text) throws IOException {
        codec.open(Output.SERIALIZER, capacity);
        byte[] before = codec.written();
        codec.writeString(text);
        return codec.written() != before;
    }

    /** Takes the bytes, then overwrites them where they were. */
    private static final class Changing extends OutputStream {

        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final byte filler;
        private int arrays;

        Changing(byte filler) {
            this.filler = filler;
        }

        @Override
        public void write(int b) {
            taken.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            arrays++;
            taken.write(bytes, offset, length);
            Arrays.fill(bytes, offset, offset + length, filler);
        }
    }

    /** Queues what it is given, and looks at it later. */
    private static final class Keeping extends OutputStream {

        private final List<byte[]> arrays = new ArrayList<>();
        private final List<Integer> sizes = new ArrayList<>();

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            assertThat(offset).isZero();
            arrays.add(bytes);
            sizes.add(length);
        }

        byte[] bytes() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 0; i < arrays.size(); i++) {
                bytes.write(arrays.get(i), 0, sizes.get(i));
            }
            return bytes.toByteArray();
        }
    }
}
