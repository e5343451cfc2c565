// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Copies an encoded string from view to view: the end is searched, then all bytes are moved at
 * once, as they are.
 *
 * <p>Nothing changes before the whole value has been found in the memory; otherwise stock's body
 * copies from the same position. An array grows as stock's, see {@link StringWriter#makeRoom}.
 */
public final class StringCopier {

    /** Words beat the JDK's copies below, and in values of up to so many ends of characters. */
    static final int BULK_FROM = 64;

    private StringCopier() {}

    /**
     * Copies the next value, whatever the views.
     *
     * @return false when nothing was done and stock's body has to copy
     */
    public static boolean copy(DataInput in, DataOutput out) throws IOException {
        if (in == null || out == null) {
            return false;
        }
        Class<?> view = in.getClass();
        if (view == OwnViews.SEGMENT_INPUT) {
            return copy((SegmentInput) in, out);
        }
        if (view == OwnViews.ARRAY_INPUT) {
            return copy((DataInputDeserializerMemory) in, out);
        }
        return StreamStringCopier.copy(in, out);
    }

    private static boolean copy(DataInputDeserializerMemory view, DataOutput out)
            throws IOException {
        byte[] in = view.boostBuffer();
        int position = view.boostPosition();
        int limit = view.boostEnd();
        return in != null
                && position >= 0
                && position < limit
                && copy(view, in, position, limit, out);
    }

    private static boolean copy(SegmentInput view, DataOutput out) throws IOException {
        MemorySegment segment = view.boostSegment();
        int position = view.boostPosition();
        if (!Bytes.isReadable(segment, position)) {
            return false;
        }
        byte[] array = Bytes.arrayOf(segment);
        if (array != null) {
            return copy(view, array, position, array.length, out);
        }
        int limit = segment.size();
        return out.getClass() == OwnViews.ARRAY_OUTPUT
                ? SegmentCopier.copy(
                        view, segment, position, limit, (DataOutputSerializerMemory) out)
                : SegmentCopier.copy(view, segment, position, limit, out);
    }

    private static boolean copy(Positioned view, byte[] in, int position, int limit, DataOutput out)
            throws IOException {
        if (out.getClass() != OwnViews.ARRAY_OUTPUT) {
            return ArrayCopier.copy(view, in, position, limit, out);
        }
        DataOutputSerializerMemory memory = (DataOutputSerializerMemory) out;
        // A copy inside one array would have to go byte by byte where the ranges overlap.
        return in != memory.boostBuffer() && ArrayCopier.copy(view, in, position, limit, memory);
    }

    /**
     * The low bytes of a word, one to eight, and none behind them. In a longer value they go with
     * the last ones of the word before, which are there already.
     */
    static void putLast(long before, long word, int index, int size, byte[] to, int target) {
        if (index == 0) {
            putFew(word, size, to, target);
            return;
        }
        int bits = size << 3;
        long last = before >>> 1 >>> bits - 1 | word << -bits;
        WideArrays.putLong(to, target + index + size - 8, last);
    }

    /** The same where the value has no word before this one. */
    private static void putFew(long word, int size, byte[] to, int target) {
        if (size >= 4) {
            WideArrays.putInt(to, target, (int) word);
            WideArrays.putInt(to, target + size - 4, (int) (word >>> (size - 4 << 3)));
            return;
        }
        to[target] = (byte) word;
        if (size > 1) {
            to[target + 1] = (byte) (word >>> 8);
            to[target + size - 1] = (byte) (word >>> (size - 1 << 3));
        }
    }

    /**
     * Ends of characters in a short value, whose length field is one byte; 0 where it is not one.
     */
    static int endsOfShort(byte length) {
        // The length field's own end counts as one; null and "" have no other.
        return length < 0 || length > BULK_FROM ? 0 : Math.max(length, 1);
    }

    /**
     * Copies a value of one character that begins with those bytes; its size, or 0 where it has
     * more of them. Branches that are guessed right make nothing wait for the bytes.
     */
    static int copyOne(int bytes, byte[] to, int target) {
        to[target] = (byte) bytes;
        to[target + 1] = (byte) (bytes >>> 8);
        if ((bytes & 0x8000) == 0) {
            return 2;
        }
        to[target + 2] = (byte) (bytes >>> 16);
        if ((bytes & 0x800000) == 0) {
            return 3;
        }
        to[target + 3] = (byte) (bytes >>> 24);
        return bytes >= 0 ? 4 : 0;
    }
}
