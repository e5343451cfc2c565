// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.StreamUse.Reader;
import org.apache.flink.boost.strings.CodeUnits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a stream under a view is asked for: never a byte behind the value, so that a socket that has
 * the value and nothing more does not block; and what it throws on the way.
 */
class ReadAheadTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(Reader.class)
    void aStreamIsNeverAskedForMoreThanTheValueHas(Reader reader) {
        for (String text : texts()) {
            byte[] bytes = reader.encoded(text);
            for (int most : new int[] {1, 3, 1000, Integer.MAX_VALUE}) {
                Object ours = reader.outcome(patched, new Strict(bytes, most));
                Object stocks = reader.outcome(stock, new Strict(bytes, most));

                assertThat(stocks).isInstanceOf(String.class);
                assertThat(ours.equals(stocks)).as(text).isTrue();
            }
        }
    }

    /** A stream that is asked for one byte too many says so. */
    @Test
    void oneByteTooManyIsFoundOut() {
        Strict strict = new Strict(new byte[] {1, 2, 3}, Integer.MAX_VALUE);
        assertThat(strict.read(new byte[3], 0, 3)).isEqualTo(3);
        assertThatThrownBy(strict::read).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(
                        () ->
                                new Strict(new byte[] {1, 2, 3}, Integer.MAX_VALUE)
                                        .read(new byte[4], 0, 4))
                .isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(Reader.class)
    void aMarkedStreamGivesTheValueAgain(Reader reader) throws IOException {
        for (String text : texts()) {
            byte[] bytes = reader.encoded(text);
            // Resetting fails as soon as more has been read than the value.
            InputStream stream =
                    new BufferedInputStream(new ByteArrayInputStream(bytes), bytes.length);
            stream.mark(bytes.length);
            Object first = reader.outcome(patched, stream);
            stream.reset();

            assertThat(first).isInstanceOf(String.class);
            assertThat(reader.outcome(patched, stream)).isEqualTo(first);
            assertThat(stream.read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource(Reader.class)
    void whatAStreamThrowsComesOutAsItIs(Reader reader) {
        InterruptedIOException interrupted = new InterruptedIOException("by the test");
        for (String text : texts()) {
            byte[] bytes = reader.encoded(text);
            for (int good : new int[] {0, 1, bytes.length / 2, bytes.length - 1, bytes.length}) {
                Failing ours = new Failing(bytes, good, interrupted, true);
                Failing stocks = new Failing(bytes, good, interrupted, true);
                Thread.currentThread().interrupt();
                Object end = reader.outcome(patched, ours);

                assertThat(Thread.interrupted()).as("still interrupted").isTrue();
                assertThat(end.equals(reader.outcome(stock, stocks))).isTrue();
                assertThat(end == interrupted).isEqualTo(good < bytes.length);
                assertThat(ours.position).isEqualTo(stocks.position);
                assertThat(interrupted.getSuppressed()).isEmpty();
            }
        }
    }

    /**
     * The difference that stays: {@code InputStream.read} of an array, where the stream does not
     * have its own, takes an exception behind the first byte for the end and hides it. A stream
     * that throws once and then goes on is read to the end.
     */
    @Test
    void anExceptionThatDoesNotComeAgainMayBeHidden() {
        byte[] bytes = Reader.READ_STRING.encoded("a text of some length");
        for (int good : new int[] {0, 1, 10, bytes.length - 1}) {
            IOException once = new IOException("once");
            Object ours =
                    Reader.READ_STRING.outcome(patched, new Failing(bytes, good, once, false));
            Object stocks =
                    Reader.READ_STRING.outcome(stock, new Failing(bytes, good, once, false));

            assertThat(stocks).isSameAs(once);
            // The length field and the first character are read singly.
            boolean hidden = BoostMode.ENABLED && good > 2;
            assertThat(ours).isEqualTo(hidden ? "a text of some length" : once);
        }
    }

    /**
     * The other one: a filter that changes or counts single bytes, but leaves arrays to the stream
     * below, is passed by.
     */
    @Test
    void aFilterOfSingleBytesAloneIsPassedBy() {
        String text = "a text of some length";
        byte[] bytes = Reader.READ_STRING.encoded(text);
        int[] counted = new int[2];
        for (int side = 0; side < 2; side++) {
            int self = side;
            InputStream filter =
                    new FilterInputStream(new ByteArrayInputStream(bytes)) {
                        @Override
                        public int read() throws IOException {
                            counted[self]++;
                            return super.read();
                        }
                    };
            Codec codec = side == 0 ? patched : stock;
            assertThat(Reader.READ_STRING.outcome(codec, filter)).isEqualTo(text);
        }
        assertThat(counted[1]).isEqualTo(bytes.length);
        assertThat(counted[0]).isEqualTo(BoostMode.ENABLED ? 2 : bytes.length);
    }

    private static List<String> texts() {
        SplittableRandom random = new SplittableRandom(76);
        List<String> texts = new ArrayList<>();
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length : new int[] {0, 1, 2, 7, 8, 9, 31, 32, 33, 100, 2047, 2049, 5000}) {
                texts.add(kind.text(random, length));
            }
        }
        return texts;
    }

    /** Refuses to be asked for more than there is. */
    private static final class Strict extends InputStream {

        private final ByteArrayInputStream bytes;
        private final int most;

        Strict(byte[] bytes, int most) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.most = most;
        }

        @Override
        public int read() {
            requireMore(1);
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            requireMore(length);
            return bytes.read(target, offset, Math.min(length, most));
        }

        private void requireMore(int count) {
            if (count > bytes.available()) {
                throw new IllegalStateException("a socket would block here");
            }
        }
    }

    /** Throws behind some bytes, from then on or once; has no {@code read} of arrays. */
    private static final class Failing extends InputStream {

        private final byte[] bytes;
        private final int good;
        private final IOException failure;
        private final boolean always;
        private boolean failed;
        private int position;

        Failing(byte[] bytes, int good, IOException failure, boolean always) {
            this.bytes = bytes;
            this.good = good;
            this.failure = failure;
            this.always = always;
        }

        @Override
        public int read() throws IOException {
            if (position >= good && (always || !failed)) {
                failed = true;
                throw failure;
            }
            return bytes[position++] & 0xFF;
        }
    }
}
