// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.TransferViews.Output;
import org.apache.flink.boost.strings.TransferViews.Target;
import org.junit.jupiter.api.Test;

/** Writing to every target: stock's bytes, and an array that has grown as stock's. */
class StringTargetTest {

    @Test
    void writesAllKindsAtBoundaryLengths() {
        Texts.boundaryLengths(
                text -> {
                    byte[] expected = Wire.encoded(text);
                    for (Target target : targets()) {
                        assertWrites(target, text, expected);
                    }
                });
    }

    @Test
    void writesSurrogatesInEveryOrder() {
        for (Target target : targets()) {
            for (String text : Texts.surrogates()) {
                assertWrites(target, text, Wire.encoded(text));
            }
        }
    }

    /** The array after any sequence is the one that stock would have: same bytes, same capacity. */
    @Test
    void growsTheArrayExactlyAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(91);
        for (Target target : targets()) {
            // The serializer is the one whose array grows by our code.
            int rounds = target == TransferViews.SERIALIZER ? 3000 : 300;
            for (int round = 0; round < rounds; round++) {
                int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
                Output patched = target.open(FlinkClasses.PATCHED, capacity);
                Output stock = target.open(FlinkClasses.STOCK, capacity);
                for (int i = 0; i < 1 + round % 8; i++) {
                    String text = Texts.any(random);
                    FlinkClasses.PATCHED.writeString(text, patched.view());
                    FlinkClasses.STOCK.writeString(text, stock.view());
                    assertThat(patched.capacity().getAsInt())
                            .isEqualTo(stock.capacity().getAsInt());
                }
                assertThat(patched.bytes().get()).isEqualTo(stock.bytes().get());
            }
        }
    }

    /** With exactly as many bytes left as the value takes, or a few less. */
    @Test
    void fillsTheArrayToTheLastByte() throws IOException {
        SplittableRandom random = new SplittableRandom(92);
        for (TextKind kind : TextKind.values()) {
            for (int length = 0; length < 120; length++) {
                String text = kind.text(random, length);
                byte[] expected = Wire.encoded(text);
                for (int missing = 0; missing <= Math.min(4, expected.length - 1); missing++) {
                    int capacity = expected.length - missing;
                    Output patched = TransferViews.SERIALIZER.open(FlinkClasses.PATCHED, capacity);
                    Output stock = TransferViews.SERIALIZER.open(FlinkClasses.STOCK, capacity);
                    FlinkClasses.PATCHED.writeString(text, patched.view());
                    FlinkClasses.STOCK.writeString(text, stock.view());
                    assertThat(patched.bytes().get()).isEqualTo(expected);
                    assertThat(patched.capacity().getAsInt())
                            .isEqualTo(stock.capacity().getAsInt());
                }
            }
        }
    }

    @Test
    void writesRandomText() {
        SplittableRandom random = new SplittableRandom(41);
        for (int i = 0; i < Texts.cases(); i++) {
            String text = Texts.any(random);
            assertWrites(TransferViews.SERIALIZER, text, Wire.encoded(text));
        }
    }

    @Test
    void writesNullEmptyAndOtherCharSequences() throws IOException {
        String text = "a\u00e9\u0416\u6f22 and ascii";
        for (Target target : targets()) {
            CharSequence[] sequences = {
                null,
                "",
                new StringBuilder(text),
                CharBuffer.wrap(text),
                (CharSequence) FlinkClasses.PATCHED.newStringValue(text)
            };
            for (CharSequence sequence : sequences) {
                Output out = target.open(FlinkClasses.PATCHED, 8);
                FlinkClasses.PATCHED.writeString(sequence, out.view());
                assertThat(out.bytes().get())
                        .isEqualTo(Wire.encoded(sequence == null ? null : sequence.toString()));
            }
        }
    }

    @Test
    void failsAsStockBehindTheArray() throws IOException {
        List<Object> ends = new ArrayList<>();
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataOutput out = flink.newOutput(8);
            FlinkClasses.setField(out, "position", 1000);
            Throwable end = catchThrowable(() -> flink.writeString("flink", out));
            ends.add(
                    Arrays.asList(
                            end.getClass(),
                            FlinkClasses.field(out, "position"),
                            ((byte[]) FlinkClasses.field(out, "buffer")).length));
            assertThatThrownBy(() -> flink.writeString("flink", null))
                    .isInstanceOf(NullPointerException.class);
        }
        assertThat(ends.get(0)).isEqualTo(ends.get(1));
        assertThat(ends.toString()).contains("ArrayIndexOutOfBoundsException");
    }

    /** A view that treats single bytes in its own way sees single bytes, as in stock. */
    @Test
    void bytesGoSinglyThroughViewsThatCareForThem() throws IOException {
        SplittableRandom random = new SplittableRandom(93);
        for (int i = 0; i < 1000; i++) {
            String text = Texts.any(random);
            Output patched = TransferViews.tamperingTarget().open(FlinkClasses.PATCHED, 16);
            Output stock = TransferViews.tamperingTarget().open(FlinkClasses.STOCK, 16);
            FlinkClasses.PATCHED.writeString(text, patched.view());
            FlinkClasses.STOCK.writeString(text, stock.view());
            assertThat(patched.bytes().get())
                    .isEqualTo(stock.bytes().get())
                    .isNotEqualTo(Wire.encoded(text));
        }
    }

    /** A view that writes another string while it has our bytes in its hands. */
    @Test
    void viewsMayWriteStringsThemselves() throws IOException {
        for (String text :
                new String[] {"x".repeat(9), "y\u0416".repeat(700), "\u6f22".repeat(9000)}) {
            ByteArrayOutputStream seen = new ByteArrayOutputStream();
            OutputStream nested =
                    new OutputStream() {
                        @Override
                        public void write(int b) {
                            seen.write(b);
                        }

                        @Override
                        public void write(byte[] bytes, int offset, int length) throws IOException {
                            ByteArrayOutputStream other = new ByteArrayOutputStream();
                            FlinkClasses.PATCHED.writeString(
                                    "in between \u00e9", new DataOutputStream(other));
                            assertThat(other.toByteArray())
                                    .isEqualTo(Wire.encoded("in between \u00e9"));
                            seen.write(bytes, offset, length);
                        }
                    };
            FlinkClasses.PATCHED.writeString(text, new DataOutputStream(nested));
            assertThat(seen.toByteArray()).isEqualTo(Wire.encoded(text));
        }
    }

    /** An array of a string's own must never be where foreign code can write. */
    @Test
    void viewsCannotChangeTheString() throws IOException {
        String text = new String("an array that a stream writes to".toCharArray());
        OutputStream scribbling =
                new OutputStream() {
                    @Override
                    public void write(int b) {}

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        Arrays.fill(bytes, (byte) '?');
                    }
                };
        FlinkClasses.PATCHED.writeString(text, new DataOutputStream(scribbling));
        assertThat(text).isEqualTo("an array that a stream writes to");
    }

    /** A target that is full refuses in the same way and has taken the same bytes. */
    @Test
    void failsAsStockWhereTheTargetIsFull() throws IOException {
        for (int room : new int[] {0, 1, 2, 9, 100, 2047, 2048, 2049, 5000}) {
            String text = "a full target\u0416".repeat(500);
            byte[][] taken = new byte[2][];
            for (int side = 0; side < 2; side++) {
                FlinkClasses flink = side == 0 ? FlinkClasses.PATCHED : FlinkClasses.STOCK;
                FullStream stream = new FullStream(room);
                assertThatThrownBy(() -> flink.writeString(text, new DataOutputStream(stream)))
                        .isInstanceOf(IOException.class)
                        .hasMessage("full");
                taken[side] = stream.taken.toByteArray();
            }
            assertThat(taken[0]).isEqualTo(taken[1]).hasSize(room);
        }
    }

    private static List<Target> targets() {
        List<Target> targets = new ArrayList<>(TransferViews.targets());
        targets.addAll(TransferViews.plainTargets());
        return targets;
    }

    private static void assertWrites(Target target, String text, byte[] expected) {
        try {
            Output out = target.open(FlinkClasses.PATCHED, 64);
            FlinkClasses.PATCHED.writeString(text, out.view());
            if (!Arrays.equals(out.bytes().get(), expected)) {
                assertThat(out.bytes().get()).as("bytes of \"%s\"", text).isEqualTo(expected);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes so many bytes and refuses the next. */
    private static final class FullStream extends OutputStream {

        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final int room;

        private FullStream(int room) {
            this.room = room;
        }

        @Override
        public void write(int b) throws IOException {
            if (taken.size() == room) {
                throw new IOException("full");
            }
            taken.write(b);
        }
    }
}
