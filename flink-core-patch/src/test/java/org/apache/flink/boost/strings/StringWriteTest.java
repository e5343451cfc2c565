// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Writing to a {@code DataOutputSerializer}, and to anything else. */
class StringWriteTest {

    @Test
    void writesEveryCodeUnit() {
        Texts.everyCodeUnit(text -> assertWrites(text, 64));
    }

    @Test
    void writesSurrogatesInEveryOrder() {
        Texts.surrogates().forEach(text -> assertWrites(text, 64));
    }

    @Test
    void writesAllKindsAtBoundaryLengths() {
        Texts.boundaryLengths(text -> assertWrites(text, 128));
    }

    @Test
    void writesRandomText() {
        SplittableRandom random = new SplittableRandom(41);
        for (int i = 0; i < Texts.cases(); i++) {
            assertWrites(Texts.any(random), 1 + random.nextInt(200));
        }
    }

    @Test
    void writesNullEmptyAndOtherCharSequences() throws IOException {
        String text = "a\u00e9\u0416\u6f22 and ascii";
        CharSequence[] sequences = {
            null,
            "",
            new StringBuilder(text),
            CharBuffer.wrap(text),
            (CharSequence) FlinkClasses.PATCHED.newStringValue(text)
        };
        for (CharSequence sequence : sequences) {
            assertThat(written(FlinkClasses.PATCHED, sequence, 8))
                    .isEqualTo(Wire.encoded(sequence == null ? null : sequence.toString()));
        }
    }

    /** The array after any sequence is the one that stock would have: same bytes, same capacity. */
    @Test
    void growsTheArrayExactlyAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(42);
        for (int round = 0; round < 3000; round++) {
            int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 300);
            DataOutput patched = FlinkClasses.PATCHED.newOutput(capacity);
            DataOutput stock = FlinkClasses.STOCK.newOutput(capacity);
            for (int i = 0; i < 1 + round % 8; i++) {
                String text = random.nextInt(9) == 0 ? null : Texts.any(random);
                FlinkClasses.PATCHED.writeString(text, patched);
                FlinkClasses.STOCK.writeString(text, stock);
                assertThat(position(patched)).isEqualTo(position(stock));
                assertThat(buffer(patched).length).isEqualTo(buffer(stock).length);
            }
            assertThat(bytes(patched)).isEqualTo(bytes(stock));
        }
    }

    /** With exactly as many bytes left as the string takes, or one less. */
    @Test
    void fillsTheArrayToTheLastByte() throws IOException {
        SplittableRandom random = new SplittableRandom(43);
        for (TextKind kind : TextKind.values()) {
            for (int length = 0; length < 200; length++) {
                String text = kind.text(random, length);
                byte[] expected = Wire.encoded(text);
                for (int missing = 0; missing <= Math.min(4, expected.length - 1); missing++) {
                    int capacity = expected.length - missing;
                    DataOutput out = FlinkClasses.PATCHED.newOutput(capacity);
                    FlinkClasses.PATCHED.writeString(text, out);
                    DataOutput stock = FlinkClasses.STOCK.newOutput(capacity);
                    FlinkClasses.STOCK.writeString(text, stock);
                    assertThat(bytes(out)).isEqualTo(expected);
                    assertThat(buffer(out).length).isEqualTo(buffer(stock).length);
                }
            }
        }
    }

    @Test
    void leavesTheBytesBeforeThePositionAlone() throws IOException {
        DataOutput out = FlinkClasses.PATCHED.newOutput(4);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        SplittableRandom random = new SplittableRandom(44);
        for (int i = 0; i < 500; i++) {
            String text = Texts.any(random);
            FlinkClasses.PATCHED.writeString(text, out);
            expected.write(Wire.encoded(text));
        }
        assertThat(bytes(out)).isEqualTo(expected.toByteArray());
    }

    @Test
    void writesToOtherOutputsAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(45);
        for (int i = 0; i < 2000; i++) {
            String text = Texts.any(random);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            FlinkClasses.PATCHED.writeString(text, new DataOutputStream(bytes));
            assertThat(bytes.toByteArray()).isEqualTo(Wire.encoded(text));
        }
    }

    @Test
    void failsAsStockBehindTheArray() throws IOException {
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataOutput out = flink.newOutput(8);
            FlinkClasses.setField(out, "position", 1000);
            assertThatThrownBy(() -> flink.writeString("flink", out))
                    .isInstanceOf(ArrayIndexOutOfBoundsException.class);
            assertThatThrownBy(() -> flink.writeString("flink", null))
                    .isInstanceOf(NullPointerException.class);
        }
    }

    private static void assertWrites(String text, int capacity) {
        try {
            byte[] patched = written(FlinkClasses.PATCHED, text, capacity);
            byte[] stock = written(FlinkClasses.STOCK, text, capacity);
            if (!Arrays.equals(patched, stock)) {
                assertThat(patched).as("bytes of \"%s\"", text).isEqualTo(stock);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] written(FlinkClasses flink, CharSequence text, int capacity)
            throws IOException {
        DataOutput out = flink.newOutput(capacity);
        flink.writeString(text, out);
        return bytes(out);
    }

    private static byte[] bytes(DataOutput out) {
        return Arrays.copyOf(buffer(out), position(out));
    }

    private static byte[] buffer(DataOutput out) {
        return (byte[]) FlinkClasses.field(out, "buffer");
    }

    private static int position(DataOutput out) {
        return (int) FlinkClasses.field(out, "position");
    }
}
