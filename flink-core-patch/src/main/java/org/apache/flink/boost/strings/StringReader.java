// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.EOFException;
import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.ShortestStrings;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Reads a string from the memory of a view.
 *
 * <p>Nothing changes before the whole string has been decoded: where the input is not complete, or
 * not what a writer would write, {@link #STOCK} is returned and stock's body starts from the same
 * position, with its own exceptions. Memory is allocated only for bytes that are present.
 */
public final class StringReader {

    /** "This part does not read it"; in the end, stock does. Compared by identity. */
    public static final String STOCK = new String("stock reads this string");

    private StringReader() {}

    /** The next string, null where null was written, or {@link #STOCK}. */
    public static String read(DataInputDeserializerMemory view) throws EOFException {
        byte[] in = view.boostBuffer();
        int position = view.boostPosition();
        int limit = view.boostEnd();
        return in == null || position < 0 || position >= limit
                ? STOCK
                : ArrayReader.read(view, in, position, limit);
    }

    /** The next string, null where null was written, or {@link #STOCK}. */
    public static String read(SegmentInput view) throws EOFException {
        MemorySegment segment = view.boostSegment();
        int position = view.boostPosition();
        if (!Bytes.isReadable(segment, position)) {
            return STOCK;
        }
        byte[] array = Bytes.arrayOf(segment);
        return array == null
                ? SegmentReader.read(view, segment, position, segment.size())
                : ArrayReader.read(view, array, position, array.length);
    }

    /** Takes a value out of the view: all that reading changes. */
    static String take(Positioned view, int end, String string) {
        view.boostPosition(end);
        return string;
    }

    /** Takes the character that a word begins with. */
    static String takeFirst(Positioned view, int start, int limit, long word) {
        int size = Words.sizeOfFirst((int) word);
        return size > 3 || size > limit - start
                ? STOCK
                : take(view, start + size, ShortestStrings.of((char) Words.first(word, size << 3)));
    }

    /** Ends as stock does after the last byte, without stock's array for a length that is a lie. */
    static String failAtEnd(Positioned view, int limit) throws EOFException {
        if (view.getClass() == OwnViews.SEGMENT_INPUT) {
            take(view, limit + 1, null);
            // Stock runs into the segment's own check.
            ((SegmentInput) view).boostSegment().get(limit);
        }
        take(view, limit, null);
        throw new EOFException();
    }

    /**
     * An array for the time of one call, at least that long. Of the sizes that stock keeps it is
     * the thread's; a view of a segment has its own, as stock's {@code readUTF} uses it.
     */
    static char[] scratchChars(Positioned view, int size) {
        return size <= Chunk.SIZE ? chunkOfThread().chars : new char[size];
    }

    static char[] scratchChars(SegmentInput view, int size) {
        char[] scratch = view.boostCharScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new char[size];
            view.boostCharScratch(scratch);
        }
        return scratch;
    }

    static byte[] scratchBytes(Positioned view, int size) {
        return size <= Chunk.SIZE ? chunkOfThread().bytes : new byte[size];
    }

    static byte[] scratchBytes(SegmentInput view, int size) {
        byte[] scratch = view.boostScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new byte[size];
            view.boostScratch(scratch);
        }
        return scratch;
    }

    /** No foreign code runs between here and the end of the call, so it need not stay taken. */
    private static Chunk chunkOfThread() {
        Chunk chunk = Chunk.take();
        chunk.release();
        return chunk;
    }
}
