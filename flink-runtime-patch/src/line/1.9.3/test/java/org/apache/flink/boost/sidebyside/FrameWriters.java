// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;

/** Two writers that are driven alike; after each step nobody may be able to tell them apart. */
final class FrameWriters {

    private static final Constructor<?> STOCK =
            Sides.ofStock(FlinkFrameWriter.class, Content.class);

    private final FrameWriter ours;
    private final FrameWriter stocks;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    FrameWriters(FrameWriter ours, FrameWriter stocks) {
        this.ours = ours;
        this.stocks = stocks;
    }

    /** The woven classes against stock's. */
    static FrameWriters sideBySide() {
        return new FrameWriters(new FlinkFrameWriter(), stock());
    }

    static FrameWriter stock() {
        try {
            return (FrameWriter) STOCK.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Does something on both sides.
     *
     * @return the result, or what was thrown
     * @throws AssertionError when the sides differ in result, in bytes or in what is left to copy
     */
    String step(Step step) {
        String expected = outcome(stocks, step);
        assertThat(outcome(ours, step)).isEqualTo(expected);
        return expected;
    }

    /** Takes what both sides have committed to their buffers. */
    void drain() {
        byte[] expected = stocks.committed();
        assertThat(ours.committed()).isEqualTo(expected);
        bytes.writeBytes(expected);
    }

    /**
     * Copies the record to the open buffer, and what does not fit to as many more as it takes; a
     * buffer that is full is followed by an empty one.
     */
    void copyAll(int bufferSize, boolean offHeap) {
        String result;
        do {
            result = step(FrameWriter::copy);
            drain();
            if (result.contains("SEGMENT_FULL")) {
                step(writer -> "finished " + writer.finishBuffer());
                step(writer -> open(writer, bufferSize, offHeap));
            }
        } while (result.startsWith("PARTIAL_RECORD"));
        assertThat(result).startsWith("FULL_RECORD").endsWith("nothing to copy");
    }

    /** All bytes that both sides have committed, in their order. */
    byte[] bytes() {
        return bytes.toByteArray();
    }

    static String open(FrameWriter writer, int size, boolean offHeap) {
        writer.openBuffer(size, offHeap);
        return "opened";
    }

    private static String outcome(FrameWriter writer, Step step) {
        String result;
        try {
            result = step.on(writer);
        } catch (IOException | RuntimeException e) {
            boolean ofJvm = e instanceof NullPointerException;
            result = e.getClass().getName() + (ofJvm ? "" : ": " + e.getMessage());
        }
        return result + (writer.hasSerializedData() ? ", more to copy" : ", nothing to copy");
    }

    /** Something to do on a writer; says what came of it. */
    interface Step {
        String on(FrameWriter writer) throws IOException;
    }
}
