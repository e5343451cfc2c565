// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Codec.UserOutput;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.CopyPath.Target;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Writing to every target: stock's bytes, and an array that has grown as stock's. */
class StringTargetTest {

    private static final Target SERIALIZER = CopyPath.of(Output.SERIALIZER);

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

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
            int rounds = target == SERIALIZER ? 3000 : 300;
            for (int round = 0; round < rounds; round++) {
                int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
                Supplier<byte[]> ours = target.open(patched, capacity);
                Supplier<byte[]> stocks = target.open(stock, capacity);
                for (int i = 0; i < 1 + round % 8; i++) {
                    String text = Texts.any(random);
                    patched.writeString(text);
                    stock.writeString(text);
                    if (patched.isSerializer()) {
                        assertThat(patched.written()).hasSameSizeAs(stock.written());
                    }
                }
                assertThat(ours.get()).isEqualTo(stocks.get());
            }
        }
    }

    /** With exactly as many bytes left as the value takes, or a few less. */
    @Test
    void fillsTheArrayToTheLastByte() throws IOException {
        SplittableRandom random = new SplittableRandom(92);
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length = 0; length < 120; length++) {
                String text = kind.text(random, length);
                byte[] expected = Wire.encoded(text);
                for (int missing = 0; missing <= Math.min(4, expected.length - 1); missing++) {
                    int capacity = expected.length - missing;
                    Supplier<byte[]> written = SERIALIZER.open(patched, capacity);
                    patched.writeString(text);
                    stock.open(Output.SERIALIZER, capacity);
                    stock.writeString(text);
                    assertThat(written.get()).isEqualTo(expected);
                    assertThat(patched.written()).hasSameSizeAs(stock.written());
                }
            }
        }
    }

    @Test
    void writesRandomText() {
        SplittableRandom random = new SplittableRandom(41);
        for (int i = 0; i < Texts.cases(); i++) {
            String text = Texts.any(random);
            assertWrites(SERIALIZER, text, Wire.encoded(text));
        }
    }

    @Test
    void writesNullEmptyAndOtherCharSequences() throws IOException {
        String text = "a\u00e9\u0416\u6f22 and ascii";
        for (Target target : targets()) {
            CharSequence[] sequences = {
                null, "", new StringBuilder(text), CharBuffer.wrap(text), patched.stringValue(text)
            };
            for (CharSequence sequence : sequences) {
                Supplier<byte[]> written = target.open(patched, 8);
                patched.writeString(sequence);
                assertThat(written.get())
                        .isEqualTo(Wire.encoded(sequence == null ? null : sequence.toString()));
            }
        }
    }

    @Test
    void failsAsStockBehindTheArray() throws IOException {
        List<Object> ends = new ArrayList<>();
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(Output.SERIALIZER, 8);
            codec.moveOutputTo(1000);
            Throwable end = catchThrowable(() -> codec.writeString("flink"));
            ends.add(List.of(end.getClass(), codec.writtenLength(), codec.written().length));
            assertThatThrownBy(() -> codec.writeToNull("flink"))
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
            List<byte[]> written = new ArrayList<>();
            for (Codec codec : new Codec[] {patched, stock}) {
                codec.open(UserOutput.CIPHERING, 16);
                codec.writeString(text);
                written.add(Arrays.copyOf(codec.written(), codec.writtenLength()));
            }
            assertThat(written.get(0)).isEqualTo(written.get(1)).isNotEqualTo(Wire.encoded(text));
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
                            StringValue.writeString(
                                    "in between \u00e9", new DataOutputStream(other));
                            assertThat(other.toByteArray())
                                    .isEqualTo(Wire.encoded("in between \u00e9"));
                            seen.write(bytes, offset, length);
                        }
                    };
            StringValue.writeString(text, new DataOutputStream(nested));
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
        StringValue.writeString(text, new DataOutputStream(scribbling));
        assertThat(text).isEqualTo("an array that a stream writes to");
    }

    /** A target that is full refuses in the same way and has taken the same bytes. */
    @Test
    void failsAsStockWhereTheTargetIsFull() throws IOException {
        for (int room : new int[] {0, 1, 2, 9, 100, 2047, 2048, 2049, 5000}) {
            String text = "a full target\u0416".repeat(500);
            List<byte[]> taken = new ArrayList<>();
            for (Codec codec : new Codec[] {patched, stock}) {
                FullStream stream = new FullStream(room);
                codec.openPlain(new DataOutputStream(stream));
                assertThatThrownBy(() -> codec.writeString(text))
                        .isInstanceOf(IOException.class)
                        .hasMessage("full");
                taken.add(stream.taken.toByteArray());
            }
            assertThat(taken.get(0)).isEqualTo(taken.get(1)).hasSize(room);
        }
    }

    private static List<Target> targets() {
        List<Target> targets = new ArrayList<>(List.of(SERIALIZER, CopyPath::plainOutput));
        for (Output output : Output.values()) {
            if (output != Output.SERIALIZER) {
                targets.add(CopyPath.of(output));
            }
        }
        return targets;
    }

    private void assertWrites(Target target, String text, byte[] expected) {
        try {
            Supplier<byte[]> written = target.open(patched, 64);
            patched.writeString(text);
            if (!Arrays.equals(written.get(), expected)) {
                assertThat(written.get()).as("bytes of \"%s\"", text).isEqualTo(expected);
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
