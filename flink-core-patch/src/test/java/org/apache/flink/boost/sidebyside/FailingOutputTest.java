// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.StreamUse.Writer;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream that takes so many bytes and then throws: it has taken the same bytes as with stock, and
 * what it throws comes out as it is. A stream that takes an array as a whole or not at all is the
 * one difference: it has taken the beginning of what it takes with stock.
 */
class FailingOutputTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    private static final int[] LENGTHS = {1, 7, 8, 9, 40, 2040, 2048, 2049, 5000};

    @ParameterizedTest
    @EnumSource(Writer.class)
    void aStreamThatFailsBetweenBytesHasThoseOfStock(Writer writer) {
        for (String text : texts()) {
            int size = writer.encoded(text).length;
            for (int room : rooms(size)) {
                Exact ours = new Exact(room, new IOException("full"));
                Exact stocks = new Exact(room, new IOException("full"));
                Throwable failure = writer.failure(patched, text, ours);
                Throwable expected = writer.failure(stock, text, stocks);

                assertThat(failure).isSameAs(room < size ? ours.failure : null);
                assertThat(expected).isSameAs(room < size ? stocks.failure : null);
                assertSame(ours, stocks);
                if (failure != null) {
                    assertThat(failure.getSuppressed()).isEmpty();
                    assertThat(failure).hasNoCause();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void aStreamOfWholeArraysHasTheBeginningOfStocks(Writer writer) {
        boolean shorter = false;
        for (String text : texts()) {
            int size = writer.encoded(text).length;
            for (int room : rooms(size)) {
                Whole ours = new Whole(room, new IOException("full"));
                Whole stocks = new Whole(room, new IOException("full"));
                Throwable failure = writer.failure(patched, text, ours);
                writer.failure(stock, text, stocks);

                assertThat(failure).isSameAs(room < size ? ours.failure : null);
                assertThat(stocks.size()).isEqualTo(Math.min(room, size));
                assertThat(ours.toByteArray())
                        .isEqualTo(Arrays.copyOf(stocks.toByteArray(), ours.size()));
                shorter |= ours.size() < stocks.size();
            }
        }
        assertThat(shorter).isEqualTo(BoostMode.ENABLED);
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void interruptsAreLeftToTheStreamAndTheTask(Writer writer) {
        for (int length : LENGTHS) {
            String text = "x".repeat(length);
            InterruptedIOException interrupted = new InterruptedIOException("by the test");
            interrupted.bytesTransferred = 5;
            for (int room : new int[] {0, length / 2, 10_000}) {
                Thread.currentThread().interrupt();
                Throwable failure = writer.failure(patched, text, new Exact(room, interrupted));

                assertThat(Thread.interrupted()).as("still interrupted").isTrue();
                assertThat(failure).isSameAs(room == 10_000 ? null : interrupted);
                assertThat(interrupted.bytesTransferred).isEqualTo(5);
            }
        }
    }

    /** {@code size()} of what was failed: an array counts when it was taken as a whole. */
    @Test
    void aWrapperOfAStreamThatFailedHasCountedNoMoreThanStocks() throws IOException {
        String text = "x".repeat(5000);
        boolean less = false;
        for (int room : new int[] {0, 1, 100, 3000, 4999, 10_000}) {
            Exact ours = new Exact(room, new IOException("full"));
            int counted = sizeAfter(patched, text, ours);
            int stocks = sizeAfter(stock, text, new Exact(room, ours.failure));

            assertThat(stocks).isEqualTo(Math.min(room, Wire.encoded(text).length));
            assertThat(ours.size()).isEqualTo(stocks);
            assertThat(counted).isBetween(Math.max(0, stocks - 2048), stocks);
            less |= counted < stocks;
        }
        assertThat(less).isEqualTo(BoostMode.ENABLED);
    }

    private static int sizeAfter(Codec codec, String text, OutputStream stream) throws IOException {
        codec.openStream(stream);
        try {
            codec.writeString(text);
        } catch (IOException full) {
            assertThat(full).hasMessage("full");
        }
        return ((DataOutputStream) codec.output()).size();
    }

    /** The comparison of bytes bites: room for one byte more is found out. */
    @Test
    void oneByteMoreIsFoundOut() {
        Exact some = new Exact(10, new IOException("full"));
        Exact more = new Exact(11, new IOException("full"));
        Writer.WRITE_STRING.failure(patched, "long enough to fail", some);
        Writer.WRITE_STRING.failure(stock, "long enough to fail", more);

        assertThat(some.size()).isEqualTo(10);
        assertThat(more.toByteArray()).isNotEqualTo(some.toByteArray());
    }

    /** An input stays where the last byte was taken from that the output was given. */
    @Test
    void theInputOfACopyThatFailsIsAtMostAnArrayAhead() {
        byte[] bytes = Wire.encoded("x".repeat(5000));
        for (int room : new int[] {0, 1, 100, 3000, 4999}) {
            for (Codec codec : new Codec[] {patched, stock}) {
                codec.open(Input.STREAM, bytes, 0, bytes.length);
                codec.openStream(new Exact(room, new IOException("full")));
                assertThatThrownBy(codec::copyString)
                        .isInstanceOf(IOException.class)
                        .hasMessage("full");
            }
            assertThat(stock.position()).isEqualTo(room + 1);
            // The length field goes byte by byte on both sides.
            int ahead = BoostMode.ENABLED && room >= 2 ? 2048 : 0;
            assertThat(patched.position()).isBetween(room + 1, room + 1 + ahead);
        }
    }

    private static List<String> texts() {
        SplittableRandom random = new SplittableRandom(75);
        List<String> texts = new ArrayList<>();
        for (int length : LENGTHS) {
            texts.add(CodeUnits.ASCII.text(random, length));
            texts.add(Texts.any(random));
            texts.add("\u6f22\u00e9".repeat(length));
        }
        return texts;
    }

    /** Room for no byte, for some, for all but one, for all. */
    private static int[] rooms(int size) {
        return new int[] {
            0, 1, 2, 3, size / 2, Math.min(size, 2047), Math.min(size, 2049), size - 1, size
        };
    }

    private static void assertSame(Exact ours, Exact stocks) {
        if (!Arrays.equals(ours.toByteArray(), stocks.toByteArray())) {
            assertThat(Wire.hex(ours.toByteArray())).isEqualTo(Wire.hex(stocks.toByteArray()));
        }
    }

    /** Takes as much of an array as there is room for. */
    private static final class Exact extends OutputStream {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int room;
        private final IOException failure;

        Exact(int room, IOException failure) {
            this.room = room;
            this.failure = failure;
        }

        @Override
        public void write(int b) throws IOException {
            if (bytes.size() >= room) {
                throw failure;
            }
            bytes.write(b);
        }

        int size() {
            return bytes.size();
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }

    /** Takes an array as a whole, as a {@code ByteBuffer} does, or not at all. */
    private static final class Whole extends OutputStream {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int room;
        private final IOException failure;

        Whole(int room, IOException failure) {
            this.room = room;
            this.failure = failure;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            if (length > room - bytes.size()) {
                throw failure;
            }
            bytes.write(source, offset, length);
        }

        int size() {
            return bytes.size();
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }
}
