// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.SegmentArray;
import org.apache.flink.boost.codec.ValueEnd;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Copies an encoded string from the memory of a view into the array of an {@link
 * DataOutputSerializerMemory}: the end is searched, then all bytes are moved at once, as they are.
 *
 * <p>Nothing changes before the whole value has been found in the memory; otherwise stock's body
 * copies from the same position. The array grows as stock's, see {@link StringWriter#makeRoom}.
 */
public final class StringCopier {

    /** Up to here words beat the JDK's copies. */
    private static final int BULK = 64;

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
        boolean intoArray = out.getClass() == OwnViews.ARRAY_OUTPUT;
        Class<?> view = in.getClass();
        if (view == OwnViews.SEGMENT_INPUT) {
            return intoArray
                    ? copy((SegmentInput) in, (DataOutputSerializerMemory) out)
                    : StreamStringCopier.copy((SegmentInput) in, out);
        }
        if (view == OwnViews.ARRAY_INPUT) {
            return intoArray
                    ? copy((DataInputDeserializerMemory) in, (DataOutputSerializerMemory) out)
                    : StreamStringCopier.copy((DataInputDeserializerMemory) in, out);
        }
        return StreamStringCopier.copy(in, out);
    }

    private static boolean copy(DataInputDeserializerMemory in, DataOutputSerializerMemory out) {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        int end = in.boostEnd();
        if (buffer == null || position < 0 || position >= end) {
            return false;
        }
        return copyArray(in, buffer, position, end, out);
    }

    private static boolean copy(SegmentInput in, DataOutputSerializerMemory out) {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        if (segment == null || segment.isFreed() || position < 0 || position >= segment.size()) {
            return false;
        }
        byte[] array = SegmentArray.of(segment);
        return array == null
                ? copySegment(in, segment, position, out)
                : copyArray(in, array, position, array.length, out);
    }

    private static boolean copyArray(
            Positioned in, byte[] from, int position, int limit, DataOutputSerializerMemory out) {
        // A copy inside one array would have to go byte by byte where the ranges overlap.
        if (from == out.boostBuffer() || out.boostPosition() < 0) {
            return false;
        }
        int size = copyShort(from, position, limit, out.boostBuffer(), out.boostPosition());
        if (size > 0) {
            return finish(in, position, out, size);
        }
        int behind = endOfValue(from, position, limit);
        if (behind < 0 || !StringWriter.makeRoom(out, behind - position)) {
            return false;
        }
        move(from, position, out, behind - position);
        in.boostPosition(behind);
        return true;
    }

    private static boolean copySegment(
            SegmentInput in, MemorySegment from, int position, DataOutputSerializerMemory out) {
        if (out.boostPosition() < 0) {
            return false;
        }
        int size = copyShort(from, position, out.boostBuffer(), out.boostPosition());
        if (size > 0) {
            return finish(in, position, out, size);
        }
        int behind = endOfValue(from, position);
        if (behind < 0 || !StringWriter.makeRoom(out, behind - position)) {
            return false;
        }
        move(from, position, out, behind - position);
        in.boostPosition(behind);
        return true;
    }

    /**
     * The low bytes of a word, one to eight, and none behind them. In a longer value they go with
     * the last ones of the word before, which are there already.
     */
    private static void putLast(
            long before, long word, int index, int size, byte[] to, int target) {
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
     * Copies a short value by words while its end is searched. Where it turns out not to be
     * complete, stock's body writes these bytes again before it fails.
     *
     * @return size of the value, or 0 where it is not a short one, not complete, or too near to an
     *     end for words
     */
    private static int copyShort(byte[] from, int position, int limit, byte[] to, int target) {
        int left = limit - position;
        if (left < 4 || to.length - target < 4) {
            return 0;
        }
        int head = WideArrays.getInt(from, position);
        if ((byte) head == 2) {
            int size = copyOne(head, to, target);
            if (size > 0) {
                return size;
            }
        }
        int missing = endsOfShort((byte) head);
        if (missing == 0) {
            return 0;
        }
        long before = 0;
        for (int i = 0; i <= left - 8 && i <= to.length - target - 8; i += 8) {
            long word = WideArrays.getLong(from, position + i);
            long ends = Words.more(~word);
            int count = Long.bitCount(ends);
            if (count >= missing) {
                int size = ValueEnd.sizeOf(ends, missing);
                putLast(before, word, i, size, to, target);
                return i + size;
            }
            WideArrays.putLong(to, target + i, word);
            before = word;
            missing -= count;
        }
        return 0;
    }

    /** The same from a segment. */
    private static int copyShort(MemorySegment from, int position, byte[] to, int target) {
        int left = from.size() - position;
        if (left < 4 || to.length - target < 4) {
            return 0;
        }
        int head = from.getIntLittleEndian(position);
        if ((byte) head == 2) {
            int size = copyOne(head, to, target);
            if (size > 0) {
                return size;
            }
        }
        int missing = endsOfShort((byte) head);
        if (missing == 0) {
            return 0;
        }
        long before = 0;
        for (int i = 0; i <= left - 8 && i <= to.length - target - 8; i += 8) {
            long word = from.getLongLittleEndian(position + i);
            long ends = Words.more(~word);
            int count = Long.bitCount(ends);
            if (count >= missing) {
                int size = ValueEnd.sizeOf(ends, missing);
                putLast(before, word, i, size, to, target);
                return i + size;
            }
            WideArrays.putLong(to, target + i, word);
            before = word;
            missing -= count;
        }
        return 0;
    }

    /**
     * Ends of characters in a short value, whose length field is one byte; 0 where it is not one.
     */
    private static int endsOfShort(byte length) {
        // The length field's own end counts as one; null and "" have no other.
        return length < 0 || length > BULK ? 0 : Math.max(length, 1);
    }

    /**
     * Copies a value of one character that begins with those bytes; its size, or 0 where it has
     * more of them. Branches that are guessed right make nothing wait for the bytes.
     */
    private static int copyOne(int bytes, byte[] to, int target) {
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

    private static boolean finish(
            Positioned in, int position, DataOutputSerializerMemory out, int size) {
        out.boostPosition(out.boostPosition() + size);
        in.boostPosition(position + size);
        return true;
    }

    /** Index behind the value, or -1 where it is not complete or not one that a writer writes. */
    static int endOfValue(byte[] in, int position, int limit) {
        int field = in[position];
        int start = position + 1;
        if (field < 0) {
            long progress = StringReader.length(in, position, limit);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
            if (field == 0) {
                return -1;
            }
        }
        int n = field == 0 ? 0 : field - 1;
        return limit - start < n ? -1 : ValueEnd.find(in, start, limit, n);
    }

    /** The same in a segment. */
    static int endOfValue(MemorySegment in, int position) {
        int field = in.get(position);
        int start = position + 1;
        if (field < 0) {
            long progress = StringReader.length(in, position);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
            if (field == 0) {
                return -1;
            }
        }
        int n = field == 0 ? 0 : field - 1;
        return in.size() - start < n ? -1 : ValueEnd.find(in, start, n);
    }

    private static void move(byte[] from, int position, DataOutputSerializerMemory out, int size) {
        byte[] to = out.boostBuffer();
        int target = out.boostPosition();
        if (size >= BULK) {
            System.arraycopy(from, position, to, target, size);
        } else if (size >= 8) {
            for (int i = 0; i <= size - 8; i += 8) {
                WideArrays.putLong(to, target + i, WideArrays.getLong(from, position + i));
            }
            int last = size - 8;
            WideArrays.putLong(to, target + last, WideArrays.getLong(from, position + last));
        } else if (size >= 4) {
            int last = size - 4;
            WideArrays.putInt(to, target, WideArrays.getInt(from, position));
            WideArrays.putInt(to, target + last, WideArrays.getInt(from, position + last));
        } else {
            for (int i = 0; i < size; i++) {
                to[target + i] = from[position + i];
            }
        }
        out.boostPosition(target + size);
    }

    private static void move(
            MemorySegment from, int position, DataOutputSerializerMemory out, int size) {
        byte[] to = out.boostBuffer();
        int target = out.boostPosition();
        if (size >= BULK) {
            from.get(position, to, target, size);
        } else if (size >= 8) {
            for (int i = 0; i <= size - 8; i += 8) {
                WideArrays.putLong(to, target + i, from.getLongLittleEndian(position + i));
            }
            int last = size - 8;
            WideArrays.putLong(to, target + last, from.getLongLittleEndian(position + last));
        } else {
            for (int i = 0; i < size; i++) {
                to[target + i] = from.get(position + i);
            }
        }
        out.boostPosition(target + size);
    }
}
