// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.woven.StringValuePatch;
import org.junit.jupiter.api.Test;

/**
 * What reading from a view must do, whatever the view: the same strings, the same exceptions, the
 * same position afterwards as stock's class in the same JVM.
 */
public abstract class StringReadContract {

    /** Opens the view under test on {@code bytes[start, end)}. */
    protected abstract DataInput open(FlinkClasses flink, byte[] bytes, int start, int end);

    /** Index of the next byte, counted as in {@code bytes}. */
    protected abstract int position(DataInput in);

    /** What running out of bytes looks like on this view, and where it leaves the position. */
    protected abstract Outcome endOfInput(byte[] bytes, int end);

    @Test
    void readsSurrogatesInEveryOrder() {
        Texts.surrogates().forEach(this::assertReadsBack);
    }

    @Test
    void readsAllKindsAtBoundaryLengths() {
        Texts.boundaryLengths(this::assertReadsBack);
    }

    @Test
    void readsRandomText() {
        SplittableRandom random = new SplittableRandom(31);
        for (int i = 0; i < Texts.cases(); i++) {
            assertReadsBack(Texts.any(random));
        }
    }

    /**
     * Well-formed text is read by our code; handing all of it to stock would pass the rest here.
     */
    @Test
    protected void wellFormedTextIsNotHandedOver() throws IOException {
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
            assertThat(readByPatch(text)).isEqualTo(text);
        }
    }

    private Object readByPatch(String text) throws IOException {
        byte[] bytes = Wire.encoded(text);
        return StringValuePatch.readString(open(FlinkClasses.PATCHED, bytes, 0, bytes.length));
    }

    @Test
    void readsNullAndEmpty() throws IOException {
        assertReadsBack("");
        DataInput in = open(FlinkClasses.PATCHED, new byte[] {0, 1}, 0, 2);
        assertThat(FlinkClasses.PATCHED.readString(in)).isNull();
        assertThat(FlinkClasses.PATCHED.readString(in)).isEmpty();
        assertThat(position(in)).isEqualTo(2);
    }

    @Test
    void readsOneStringAfterAnotherAtEveryOffset() throws IOException {
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
                DataInput in =
                        open(FlinkClasses.PATCHED, bytes, offset, offset + a.length + b.length);
                assertThat(FlinkClasses.PATCHED.readString(in)).isEqualTo(first);
                assertThat(position(in)).isEqualTo(offset + a.length);
                assertThat(FlinkClasses.PATCHED.readString(in)).isEqualTo(second);
                assertThat(position(in)).isEqualTo(offset + a.length + b.length);
            }
        }
    }

    @Test
    void endsAsStockOnMalformedInput() {
        for (byte[] bytes : Wire.malformed()) {
            assertSameAsStock(bytes, 0, bytes.length);
        }
    }

    @Test
    void endsAsStockOnMalformedInputInsideLargerMemory() {
        SplittableRandom random = new SplittableRandom(33);
        for (byte[] value : Wire.malformed()) {
            byte[] bytes = new byte[value.length + 24];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) random.nextInt();
            }
            int start = random.nextInt(17);
            System.arraycopy(value, 0, bytes, start, value.length);
            assertSameAsStock(bytes, start, start + value.length);
        }
    }

    @Test
    void endsAsStockOnLengthsThatAreNotBackedByBytes() {
        for (byte[] bytes : Wire.hugeLengths()) {
            assertSameAsStock(bytes, 0, bytes.length);
        }
    }

    /** The check above can fail: other bytes give another outcome. */
    @Test
    void outcomesOfDifferentInputDiffer() {
        byte[] bytes = Wire.encoded("flink");
        byte[] other = Wire.encoded("flinK");
        byte[] cut = {6, 'f', 'l'};
        Outcome read = Outcome.of(FlinkClasses.PATCHED, this, bytes, 0, bytes.length);
        assertThat(read).isNotEqualTo(Outcome.of(FlinkClasses.STOCK, this, other, 0, other.length));
        assertThat(read).isNotEqualTo(Outcome.of(FlinkClasses.STOCK, this, cut, 0, cut.length));
    }

    private void assertReadsBack(String text) {
        byte[] bytes = Wire.encoded(text);
        DataInput in = open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
        try {
            String read = FlinkClasses.PATCHED.readString(in);
            if (!text.equals(read)
                    || !read.equals(text)
                    || read.hashCode() != text.hashCode()
                    || position(in) != bytes.length) {
                // The slow, telling form of the same assertion.
                assertThat(read).isEqualTo(text).hasSameHashCodeAs(text);
                assertThat(position(in)).isEqualTo(bytes.length);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    final void assertSameAsStock(byte[] bytes, int start, int end) {
        Outcome patched = Outcome.of(FlinkClasses.PATCHED, this, bytes, start, end);
        Outcome stock = Outcome.of(FlinkClasses.STOCK, this, bytes, start, end);
        if (OutOfMemoryError.class.getName().equals(stock.exception()) && !patched.equals(stock)) {
            // Stock allocates what a length field claims; ours first looks for the bytes.
            stock = endOfInput(bytes, end);
        }
        assertThat(patched)
                .as("reading %s from %d to %d", Wire.hex(bytes), start, end)
                .isEqualTo(stock);
    }

    /** How a read ended; equal where text, exception and position afterwards are. */
    public static final class Outcome {

        private final String value;
        private final String exception;
        private final int position;

        public Outcome(String value, String exception, int position) {
            this.value = value;
            this.exception = exception;
            this.position = position;
        }

        String exception() {
            return exception;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Outcome && parts().equals(((Outcome) other).parts());
        }

        @Override
        public int hashCode() {
            return parts().hashCode();
        }

        @Override
        public String toString() {
            return "value, exception, position: " + parts();
        }

        private List<Object> parts() {
            return Arrays.asList(value, exception, position);
        }

        static Outcome of(
                FlinkClasses flink, StringReadContract view, byte[] bytes, int start, int end) {
            DataInput in = view.open(flink, bytes, start, end);
            String value = null;
            String exception = null;
            try {
                value = flink.readString(in);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                exception = e.getClass().getName();
            }
            return new Outcome(value, exception, view.position(in));
        }
    }
}
