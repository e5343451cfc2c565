// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.util.stream.Stream;

/** Two tasks' outputs that are driven alike; after each step nobody can tell them apart. */
final class ChannelWriters {

    private static final Constructor<?> STOCK =
            Sides.ofStock(FlinkChannelWriter.class, Content.class, LinePartition.class);

    private final ChannelWriter ours;
    private final ChannelWriter stocks;
    private final ByteArrayOutputStream[] bytes;

    ChannelWriters(ChannelWriter ours, ChannelWriter stocks, int channels) {
        this.ours = ours;
        this.stocks = stocks;
        bytes =
                Stream.generate(ByteArrayOutputStream::new)
                        .limit(channels)
                        .toArray(ByteArrayOutputStream[]::new);
    }

    /** The woven classes against stock's, {@link ChannelWriter#open} as it says. */
    static ChannelWriters opened(
            int channels, int buffers, int bufferSize, boolean flushing, boolean broadcasting) {
        ChannelWriters writers = new ChannelWriters(new FlinkChannelWriter(), stock(), channels);
        writers.open(channels, buffers, bufferSize, flushing, broadcasting);
        return writers;
    }

    /** Opens both sides. */
    void open(int channels, int buffers, int bufferSize, boolean flushing, boolean broadcasting) {
        String opened =
                step(
                        writer -> {
                            writer.open(channels, buffers, bufferSize, flushing, broadcasting);
                            return "opened";
                        });
        assertThat(opened).startsWith("opened;");
    }

    /** Emits a record on both sides; the result as of {@link #step}. */
    String emit(int channel, Style style, byte[] content) {
        return step(new ChannelStep.Emit(channel, style, content));
    }

    /** Flushes both sides and takes every buffer. */
    void flush() {
        step(new ChannelStep.Flush());
        take();
    }

    /** Closes both sides: no buffer is lost on either. */
    void close() {
        step(writer -> "closed, " + writer.close() + " buffers are back");
    }

    static ChannelWriter stock() {
        try {
            return (ChannelWriter) STOCK.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    ChannelWriter[] both() {
        return new ChannelWriter[] {stocks, ours};
    }

    /**
     * Does something on both sides.
     *
     * @return the result, or what was thrown
     * @throws AssertionError when the sides differ in result or in what Flink counts
     */
    String step(Step step) {
        String expected = outcome(stocks, step);
        assertThat(outcome(ours, step)).isEqualTo(expected);
        return expected;
    }

    /** Takes every buffer that both sides have sent, from each channel in turn. */
    void take() {
        for (int channel = 0; channel < bytes.length; channel++) {
            while (takeOne(channel)) {
                // There may be another one.
            }
        }
    }

    /** Takes one buffer of a channel; false when there is none. */
    boolean takeOne(int channel) {
        try {
            ChannelBuffer expected = stocks.take(channel);
            assertThat(ours.take(channel)).as("channel %d", channel).isEqualTo(expected);
            if (expected == null) {
                return false;
            }
            if (expected.isData()) {
                bytes[channel].writeBytes(expected.bytes());
            }
            return true;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** All bytes of records that have been taken from a channel, in their order. */
    byte[] bytes(int channel) {
        return bytes[channel].toByteArray();
    }

    private static String outcome(ChannelWriter writer, Step step) {
        String result;
        try {
            result = step.on(writer);
        } catch (IOException | InterruptedException | RuntimeException e) {
            result = e.getClass().getName() + ": " + e.getMessage();
        }
        return result + "; " + writer.counts();
    }

    /** Something to do on a writer; says what came of it. */
    interface Step {
        String on(ChannelWriter writer) throws IOException, InterruptedException;
    }
}
