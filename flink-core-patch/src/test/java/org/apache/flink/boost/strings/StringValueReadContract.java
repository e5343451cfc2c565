// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.strings.TransferViews.Input;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.junit.jupiter.api.Test;

/**
 * What {@code StringValue.read} must do from every view: leave the object, whose array is used
 * again and again, and the view exactly as stock's does, after a failure too.
 */
public abstract class StringValueReadContract {

    /** Views to read from. */
    protected abstract List<Source> sources();

    /** Those that our code reads; the others are left to stock's body. */
    protected List<Source> sourcesOfOurs() {
        return sources();
    }

    @Test
    void readsEveryCodeUnit() {
        Source source = sources().get(0);
        Object value = FlinkClasses.PATCHED.newStringValue("");
        Texts.everyCodeUnit(text -> assertReads(source, value, text));
    }

    @Test
    void readsAllKindsAtBoundaryLengths() {
        for (Source source : sources()) {
            Object value = FlinkClasses.PATCHED.newStringValue("");
            Texts.boundaryLengths(text -> assertReads(source, value, text));
        }
    }

    /** One value after another into the same object, whose hash code has been asked for. */
    @Test
    void usesTheArrayAgainAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(81);
        for (Source source : sources()) {
            Object patched = FlinkClasses.PATCHED.newStringValue("first");
            Object stock = FlinkClasses.STOCK.newStringValue("first");
            for (int i = 0; i < 500; i++) {
                byte[] bytes = Wire.encoded(Texts.any(random), 0);
                Outcome read = Outcome.of(FlinkClasses.PATCHED, patched, source, bytes, 0);
                assertThat(read).isEqualTo(Outcome.of(FlinkClasses.STOCK, stock, source, bytes, 0));
                assertThat(read.exception).isNull();
                assertThat(patched.hashCode()).isEqualTo(stock.hashCode());
            }
        }
    }

    @Test
    void endsAsStockOnMalformedInput() throws IOException {
        SplittableRandom random = new SplittableRandom(82);
        for (Source source : sources()) {
            for (byte[] value : Wire.malformed(0)) {
                byte[] bytes = new byte[value.length + 24];
                random.nextBytes(bytes);
                System.arraycopy(value, 0, bytes, 3, value.length);
                // Stock allocates what is claimed; a few long claims are in the tests below.
                if (Wire.claimedLength(value) <= 10_000) {
                    assertSameAsStock(source, value, 0);
                }
                if (Wire.claimedLength(Arrays.copyOfRange(bytes, 3, bytes.length)) <= 10_000) {
                    assertSameAsStock(source, bytes, 3);
                }
            }
        }
    }

    @Test
    void readsPaddedCharactersAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(83);
        for (Source source : sources()) {
            for (int i = 0; i < 500; i++) {
                int most = 1 + random.nextInt(9);
                int lengthBytes = 1 + random.nextInt(6);
                assertSameAsStock(
                        source, Wire.padded(Texts.any(random), 0, lengthBytes, random, most), 0);
            }
        }
    }

    @Test
    void endsAsStockOnLengthsThatAreNotBackedByBytes() throws IOException {
        List<byte[]> lies = new ArrayList<>(Wire.hugeLengths());
        lies.add(Wire.lie(LongText.AT_ONCE, 5000));
        for (Source source : sources()) {
            for (byte[] bytes : lies) {
                assertSameAsStock(source, bytes, 0);
            }
        }
    }

    /** Above a million characters stock's array is not allocated for a length that lies. */
    @Test
    void hugeLiesEndAtTheEndOfTheInput() throws IOException {
        for (Source source : sourcesOfOurs()) {
            for (int length : new int[] {LongText.AT_ONCE + 1, Integer.MAX_VALUE}) {
                byte[] bytes = Wire.lie(length, 5000);
                Object value = FlinkClasses.PATCHED.newStringValue("before");
                Outcome patched = Outcome.of(FlinkClasses.PATCHED, value, source, bytes, 0);
                // What stock says of a length that it can still allocate, and where it ends.
                byte[] allocated = Wire.lie(LongText.AT_ONCE, 5000);
                Outcome stock =
                        Outcome.of(
                                FlinkClasses.STOCK,
                                FlinkClasses.STOCK.newStringValue("before"),
                                source,
                                allocated,
                                0);
                if (length == Integer.MAX_VALUE
                        && OutOfMemoryError.class.getName().equals(patched.exception)) {
                    assertThat(BoostMode.ENABLED).isFalse();
                    continue;
                }
                assertThat(patched.exception).isEqualTo(stock.exception);
                assertThat(patched.position - bytes.length)
                        .isEqualTo(stock.position - allocated.length);
                assertThat(patched.length).isEqualTo(length);
                assertThat(patched.hash).isZero();
            }
        }
    }

    /** The check above can fail: other bytes give another outcome. */
    @Test
    void outcomesOfDifferentInputDiffer() throws IOException {
        Source source = sources().get(0);
        Object value = FlinkClasses.PATCHED.newStringValue("");
        byte[] bytes = Wire.encoded("flink", 0);
        Outcome whole = Outcome.of(FlinkClasses.PATCHED, value, source, bytes, 0);
        byte[] other = Wire.encoded("flinK", 0);
        Object second = FlinkClasses.STOCK.newStringValue("");
        assertThat(whole).isNotEqualTo(Outcome.of(FlinkClasses.STOCK, second, source, other, 0));
    }

    final void assertSameAsStock(Source source, byte[] bytes, int start) throws IOException {
        Object patchedValue = FlinkClasses.PATCHED.newStringValue("what was there before");
        Object stockValue = FlinkClasses.STOCK.newStringValue("what was there before");
        Outcome patched = Outcome.of(FlinkClasses.PATCHED, patchedValue, source, bytes, start);
        Outcome stock = Outcome.of(FlinkClasses.STOCK, stockValue, source, bytes, start);
        if (OutOfMemoryError.class.getName().equals(stock.exception)) {
            // Ours first looks for the bytes; see the test of huge lies.
            return;
        }
        if (stock.exception != null && stock.length > LongText.AT_ONCE) {
            patched = patched.withoutArray();
            stock = stock.withoutArray();
        }
        if (!patched.equals(stock)) {
            assertThat(patched).as("reading %s from %d", Wire.hex(bytes), start).isEqualTo(stock);
        }
    }

    private static void assertReads(Source source, Object value, String text) {
        try {
            byte[] bytes = Wire.encoded(text, 0);
            Input in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
            FlinkClasses.PATCHED.invoke(value, "read", in.view());
            if (!value.toString().equals(text) || in.position().getAsInt() != bytes.length) {
                assertThat(value).hasToString(text);
                assertThat(in.position().getAsInt()).isEqualTo(bytes.length);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** How a read ended, and what it left in the object. */
    private static final class Outcome {

        private final String array;
        private final int length;
        private final int hash;
        private final String exception;
        private final int position;

        private Outcome(String array, int length, int hash, String exception, int position) {
            this.array = array;
            this.length = length;
            this.hash = hash;
            this.exception = exception;
            this.position = position;
        }

        /** Where ours does not allocate stock's array, because the bytes for it do not come. */
        Outcome withoutArray() {
            return new Outcome("", length, hash, exception, position);
        }

        static Outcome of(FlinkClasses flink, Object value, Source source, byte[] bytes, int start)
                throws IOException {
            Input in = source.open(flink, bytes, start, bytes.length);
            String exception = null;
            try {
                flink.invoke(value, "read", in.view());
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                exception = e.getClass().getName();
            }
            char[] chars = (char[]) FlinkClasses.field(value, "value");
            String first = new String(chars, 0, Math.min(chars.length, 100));
            return new Outcome(
                    chars.length + " " + Arrays.hashCode(chars) + " " + first,
                    (int) FlinkClasses.field(value, "len"),
                    (int) FlinkClasses.field(value, "hashCode"),
                    exception,
                    in.position().getAsInt());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Outcome && other.toString().equals(toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return String.format(
                    "%s at %d, length %d, hash %d, array %s",
                    exception, position, length, hash, array);
        }
    }
}
