// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.apache.flink.boost.woven.StringValuePatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What reading must do, whatever the view: the same strings, the same exceptions, the same position
 * afterwards as stock's class in the same JVM. {@link MalformedInputTest} has more of what no
 * writer writes.
 */
class StringReadTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsSurrogatesInEveryOrder(Input view) {
        Texts.surrogates().forEach(text -> assertReadsBack(view, text));
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsAllKindsAtBoundaryLengths(Input view) {
        Texts.boundaryLengths(text -> assertReadsBack(view, text));
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsRandomText(Input view) {
        SplittableRandom random = new SplittableRandom(31);
        for (int i = 0; i < Texts.cases(); i++) {
            assertReadsBack(view, Texts.any(random));
        }
    }

    /** All lengths around the sizes at which arrays are filled and grow. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void readsLongTextOfEveryKind(Input view) {
        int[] lengths = {2047, 2048, 2049, 4096, 4097, 65_535, 65_536, 65_537, 200_000, 1_100_000};
        String[] units = {"a", "\u00e9", "\u0416", "\u6f22", "ascii and \u00e9 ", "a\u0416\u6f22"};
        for (int length : lengths) {
            for (String unit : units) {
                assertReadsBack(view, unit.repeat(length / unit.length() + 1).substring(0, length));
            }
            // The first character that does not fit the guess comes late.
            assertReadsBack(view, "a".repeat(length - 1) + "\u0416");
            assertReadsBack(view, "\u00e9".repeat(length - 2) + "\u0100b");
        }
    }

    /** Text that is decoded through an array in several pieces, from every place in a word. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void readsTextLongerThanAPiece(Input view) {
        String[] units = {
            "\u0416", "\u6f22", "\u00e9", "a\u00e9", "a\u0416\u6f22", "x".repeat(5000) + "\u0416"
        };
        for (String unit : units) {
            for (int offset = 0; offset < 5; offset++) {
                assertReadsBack(view, "a".repeat(offset) + unit.repeat(40_000 / unit.length()));
            }
        }
    }

    /** Latin-1 for thousands of characters, then one that is not: the guess is taken back. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void readsLateSurprises(Input view) {
        for (String end : List.of("\u0416", "\u6f22", "\u00ff", "\u0100")) {
            assertReadsBack(view, "\u00e9".repeat(6000) + end + "\u00e9".repeat(10));
        }
    }

    /** Handing all of it to stock would pass the rest here. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void wellFormedTextIsNotHandedOver(Input view) throws IOException {
        String[] texts = {
            "",
            "a",
            "flink",
            "x".repeat(63),
            "x".repeat(64),
            "x".repeat(5000),
            "\u00e9",
            "\u0416".repeat(100),
            "\u6f22".repeat(2000),
            "a\ud83d\ude00"
        };
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text);
            patched.open(view, bytes, 0, bytes.length);
            assertThat(StringValuePatch.readString(patched.input())).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsNullAndEmpty(Input view) throws IOException {
        patched.open(view, new byte[] {0, 1}, 0, 2);
        assertThat(patched.readString()).isNull();
        assertThat(patched.readString()).isEmpty();
        assertThat(patched.position()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsOneStringAfterAnotherAtEveryOffset(Input view) throws IOException {
        SplittableRandom random = new SplittableRandom(32);
        for (int offset = 0; offset <= 16; offset++) {
            for (int i = 0; i < 300; i++) {
                String first = Texts.any(random);
                String second = Texts.any(random);
                byte[] a = Wire.encoded(first);
                byte[] b = Wire.encoded(second);
                byte[] bytes = new byte[offset + a.length + b.length + random.nextInt(20)];
                System.arraycopy(a, 0, bytes, offset, a.length);
                System.arraycopy(b, 0, bytes, offset + a.length, b.length);
                patched.open(view, bytes, offset, offset + a.length + b.length);
                assertThat(patched.readString()).isEqualTo(first);
                assertThat(patched.position()).isEqualTo(offset + a.length);
                assertThat(patched.readString()).isEqualTo(second);
                assertThat(patched.position()).isEqualTo(offset + a.length + b.length);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnMalformedInput(Input view) {
        for (byte[] bytes : MalformedValues.all()) {
            assertSameAsStock(view, bytes, 0, bytes.length);
        }
    }

    /** What lies behind the end belongs to somebody else, whatever it is. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnMalformedInputInsideLargerMemory(Input view) {
        SplittableRandom random = new SplittableRandom(33);
        for (byte[] value : MalformedValues.all()) {
            byte[] bytes = new byte[value.length + 24];
            random.nextBytes(bytes);
            int start = random.nextInt(17);
            System.arraycopy(value, 0, bytes, start, value.length);
            assertSameAsStock(view, bytes, start, start + value.length);
        }
    }

    /** As in stock, bytes between a record's limit and the end of its segment can be read. */
    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT", "SLICED_SEGMENT"})
    void readsBehindTheLimitAsStock(Input view) throws IOException {
        byte[] bytes = Wire.encoded("a string that ends behind the limit of its record");
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(view, bytes, 0, 10);
            assertThat(codec.readString()).endsWith("of its record");
            assertThat(codec.position()).isEqualTo(bytes.length);
        }
    }

    /** Stock's {@code readUTF} leaves an array without elements in the view. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void readsLongTextAfterStocksReadUtfLeftAnEmptyArray(Input view) throws IOException {
        String text = "x".repeat(5000);
        byte[] string = Wire.encoded(text);
        byte[] bytes = new byte[2 + string.length];
        System.arraycopy(string, 0, bytes, 2, string.length);
        patched.open(view, bytes, 0, bytes.length);
        assertThat(patched.input().readUTF()).isEmpty();
        assertThat(patched.readString()).isEqualTo(text);
    }

    /** Stock dies of memory on a length of 2^31 - 2; the one difference that is allowed. */
    @Test
    void allocatesNothingForALengthThatIsALie() {
        byte[] bytes = MalformedValues.lie(Integer.MAX_VALUE, 1);
        patched.open(Input.DESERIALIZER, bytes, 0, bytes.length);
        if (BoostMode.ENABLED) {
            assertThatThrownBy(patched::readString).isInstanceOf(EOFException.class);
            assertThat(patched.position()).isEqualTo(bytes.length);
        } else {
            assertThatThrownBy(patched::readString).isInstanceOf(OutOfMemoryError.class);
        }
    }

    private void assertReadsBack(Input view, String text) {
        byte[] bytes = Wire.encoded(text);
        patched.open(view, bytes, 0, bytes.length);
        try {
            String read = patched.readString();
            if (!text.equals(read)
                    || !read.equals(text)
                    || read.hashCode() != text.hashCode()
                    || patched.position() != bytes.length) {
                // The slow, telling form of the same assertion.
                assertThat(read).isEqualTo(text).hasSameHashCodeAs(text);
                assertThat(patched.position()).isEqualTo(bytes.length);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertSameAsStock(Input view, byte[] bytes, int start, int end) {
        Outcome ours = outcome(patched, view, bytes, start, end);
        Outcome stocks = outcome(stock, view, bytes, start, end);
        if (stocks.isOutOfMemory() && !ours.isOutOfMemory()) {
            // Stock allocates what a length field claims; ours first looks for the bytes.
            assertThat(List.of(ours.exception, ours.position))
                    .isEqualTo(endOfInput(view, bytes, end));
        } else if (!ours.equals(stocks)) {
            assertThat(ours)
                    .as("reading %s from %d to %d of %s", Wire.hex(bytes), start, end, view)
                    .isEqualTo(stocks);
        }
    }

    /** What running out of bytes looks like on that view, and where it leaves the position. */
    private static List<Object> endOfInput(Input view, byte[] bytes, int end) {
        // A segment ends behind the view, and stock counts up before it refuses the access.
        return view.name().endsWith("SEGMENT")
                ? List.of(IndexOutOfBoundsException.class.getName(), bytes.length + 1)
                : List.of(EOFException.class.getName(), end);
    }

    private static Outcome outcome(Codec codec, Input view, byte[] bytes, int start, int end) {
        codec.open(view, bytes, start, end);
        codec.open(Output.STREAM, 1);
        return Outcome.of(codec, Operation.READ_STRING);
    }
}
