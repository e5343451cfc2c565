// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Somebody else's way to put strings into an array and take them out again, on the strings and with
 * the buffers of {@link StringSerializationBenchmark}: output cleared, input exchanged after 32 KB.
 */
@State(Scope.Thread)
public abstract class ComparatorState {

    private static final int POLLUTING_ROUNDS = 40;

    private String[] texts;
    private List<byte[]> buffers;
    private int[] textsPerBuffer;
    private int textsPerClear;

    private int nextText;
    private int untilClear;
    private int nextBuffer;
    private int untilNextBuffer;

    /**
     * Prepares for other strings.
     *
     * @param encodings the same strings in Flink's format
     * @param capacity in bytes: enough for the longest string, and for a full network buffer
     */
    abstract void prepare(String[] texts, byte[][] encodings, int capacity);

    /** Starts the output again at its beginning. */
    abstract void clear();

    /** Writes the text with that number. */
    abstract void encode(int text) throws IOException;

    /** A copy of what was written since {@link #clear}. */
    abstract byte[] written();

    /** Starts reading at the beginning of that buffer. */
    abstract void open(byte[] buffer);

    /** Reads the next string, which is the text with that number. */
    abstract String decode(int text) throws IOException;

    /** The text with that number. */
    final String text(int number) {
        return texts[number];
    }

    /** Called by JMH. */
    @Setup(Level.Trial)
    public final void setUp(StringComparatorBenchmark.Cell cell) throws IOException {
        use(cell.texts(), cell.encodings());
    }

    final void write() throws IOException {
        if (untilClear == 0) {
            clear();
            untilClear = textsPerClear;
        }
        untilClear--;
        encode(nextText);
        nextText = nextText + 1 == texts.length ? 0 : nextText + 1;
    }

    final String read() throws IOException {
        if (untilNextBuffer == 0) {
            open(buffers.get(nextBuffer));
            untilNextBuffer = textsPerBuffer[nextBuffer];
            nextBuffer = nextBuffer + 1 == textsPerBuffer.length ? 0 : nextBuffer + 1;
        }
        untilNextBuffer--;
        String text = decode(nextText);
        nextText = nextText + 1 == texts.length ? 0 : nextText + 1;
        return text;
    }

    /** Shows the code behind {@link #encode} and {@link #decode} all kinds and many lengths. */
    final void pollute(String[] manyTexts, byte[][] manyEncodings) throws IOException {
        use(manyTexts, manyEncodings);
        for (int round = 0; round < POLLUTING_ROUNDS; round++) {
            for (int i = 0; i < manyTexts.length; i++) {
                write();
            }
            for (int i = 0; i < manyTexts.length; i++) {
                read();
            }
        }
    }

    private void use(String[] newTexts, byte[][] encodings) throws IOException {
        texts = newTexts;
        int longest = Arrays.stream(texts).mapToInt(String::length).max().getAsInt();
        int capacity = Math.max(FilledBuffers.SIZE, 4 * longest + 16);
        prepare(texts, encodings, capacity);

        byte[][] own = new byte[texts.length][];
        for (int i = 0; i < own.length; i++) {
            clear();
            encode(i);
            own[i] = written();
        }
        textsPerClear = capacity / Arrays.stream(own).mapToInt(b -> b.length).max().getAsInt();
        FilledBuffers filled = new FilledBuffers(own);
        buffers = filled.buffers();
        textsPerBuffer = filled.counts();
        nextText = 0;
        untilClear = 0;
        nextBuffer = 0;
        untilNextBuffer = 0;
        for (String expected : texts) {
            String actual = read();
            if (!expected.equals(actual)) {
                throw new IllegalStateException("Read '" + actual + "' not '" + expected + "'");
            }
        }
    }
}
