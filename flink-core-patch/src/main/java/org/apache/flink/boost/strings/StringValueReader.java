// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.SegmentArray;
import org.apache.flink.boost.codec.SegmentDecoder;
import org.apache.flink.boost.codec.VarintDecoder;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.boost.woven.StringValueFields;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Reads into a {@code StringValue}, whose array is used again when it is long enough: plain length
 * field, characters straight from the memory of the view.
 *
 * <p>Length and hash code change only once all characters are there; otherwise stock's body starts
 * from the same position and overwrites what has been decoded.
 */
public final class StringValueReader {

    private StringValueReader() {}

    /**
     * Reads the next value.
     *
     * @return false when stock's body has to read
     */
    public static boolean read(StringValueFields value, DataInput in) throws IOException {
        if (in == null) {
            return false;
        }
        Class<?> view = in.getClass();
        if (view == OwnViews.SEGMENT_INPUT) {
            return read(value, (SegmentInput) in);
        }
        if (view == OwnViews.ARRAY_INPUT) {
            return read(value, (DataInputDeserializerMemory) in);
        }
        return StreamStringReader.read(value, in);
    }

    private static boolean read(StringValueFields value, DataInputDeserializerMemory in)
            throws EOFException {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        int end = in.boostEnd();
        if (buffer == null || position < 0 || position >= end) {
            return false;
        }
        int n = buffer[position];
        int start = position + 1;
        if (n < 0) {
            long progress = StringReader.length(buffer, position, end);
            n = Progress.characters(progress);
            start = Progress.bytes(progress);
            if (n == 0) {
                return false;
            }
        }
        if (end - start < n) {
            if (n <= LongText.AT_ONCE) {
                return false;
            }
            // Ends as stock does after the last byte, without an array for a length that lies.
            fail(value, in, n, end);
            throw new EOFException();
        }
        return decode(value, in, buffer, start, end, n);
    }

    private static boolean read(StringValueFields value, SegmentInput in) {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        if (segment == null || segment.isFreed() || position < 0 || position >= segment.size()) {
            return false;
        }
        int n = segment.get(position);
        int start = position + 1;
        if (n < 0) {
            long progress = StringReader.length(segment, position);
            n = Progress.characters(progress);
            start = Progress.bytes(progress);
            if (n == 0) {
                return false;
            }
        }
        if (segment.size() - start < n) {
            if (n <= LongText.AT_ONCE) {
                return false;
            }
            // The same, by the segment's own check.
            fail(value, in, n, segment.size() + 1);
            throw new IndexOutOfBoundsException("end of segment: " + segment.get(segment.size()));
        }
        byte[] bytes = SegmentArray.of(segment);
        if (bytes != null) {
            return decode(value, in, bytes, start, bytes.length, n);
        }
        char[] chars = array(value, n);
        if (chars == null) {
            return false;
        }
        long progress = SegmentDecoder.decodeChars(segment, start, chars, n);
        if (Progress.characters(progress) < n) {
            return false;
        }
        finish(value, in, n, Progress.bytes(progress));
        return true;
    }

    private static boolean decode(
            StringValueFields value, Positioned in, byte[] bytes, int start, int limit, int n) {
        char[] chars = array(value, n);
        if (chars == null) {
            return false;
        }
        long progress = VarintDecoder.decodeChars(bytes, start, limit, chars, 0, n);
        if (Progress.characters(progress) < n) {
            return false;
        }
        finish(value, in, n, Progress.bytes(progress));
        return true;
    }

    /** The value's array, a new one where it is too short; null where there never was one. */
    private static char[] array(StringValueFields value, int n) {
        char[] chars = value.boostChars();
        if (chars != null && chars.length < n) {
            chars = new char[n];
            value.boostChars(chars);
        }
        return chars;
    }

    private static void finish(StringValueFields value, Positioned in, int n, int behind) {
        value.boostLength(n);
        value.boostHashCode(0);
        in.boostPosition(behind);
    }

    /** What stock leaves when there is no memory for the array. */
    private static void fail(StringValueFields value, Positioned in, int n, int end) {
        value.boostLength(n);
        value.boostHashCode(0);
        in.boostPosition(end);
    }
}
