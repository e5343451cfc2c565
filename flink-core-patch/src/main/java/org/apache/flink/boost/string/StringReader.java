// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import java.io.EOFException;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Reads a string from the memory of an {@link ArrayInput} or {@link SegmentInput}.
 *
 * <p>Nothing changes before the whole string has been decoded: where the input is not complete, or
 * not what a writer would write, {@link #STOCK} is returned and stock's body starts from the same
 * position, with its own exceptions. Memory is allocated only for bytes that are present.
 */
final class StringReader {

    /** "Let stock read it". Compared by identity. */
    static final String STOCK = new String("stock reads this string");

    /** From here on bulk copies beat words. */
    private static final int BULK = 64;

    /** Bytes fetched at a time from off-heap memory for text that is not ASCII. */
    private static final int CHUNK = 4096;

    /** Stock keeps an array of that many characters; above, it allocates what the field says. */
    private static final int STOCK_ARRAY = 2048;

    private static final long NEGATIVES = 0x8080808080808080L;

    private StringReader() {}

    /** The next string, null where null was written, or {@link #STOCK}. */
    static String read(ArrayInput in) throws EOFException {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        int end = in.boostEnd();
        if (buffer == null || position < 0 || position >= end) {
            return STOCK;
        }
        int field = buffer[position];
        int start = position + 1;
        if (field == 0) {
            in.boostPosition(start);
            return null;
        }
        if (field < 0) {
            long progress = length(buffer, position, end);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
        }
        int n = field - 1;
        if (n < 0) {
            return STOCK;
        }
        if (end - start < n) {
            return n > STOCK_ARRAY ? endOfArray(in, end) : STOCK;
        }
        return readArray(in, buffer, start, end, n);
    }

    /** The next string, null where null was written, or {@link #STOCK}. */
    static String read(SegmentInput in) {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        if (segment == null || segment.isFreed() || position < 0 || position >= segment.size()) {
            return STOCK;
        }
        int field = segment.get(position);
        int start = position + 1;
        if (field == 0) {
            in.boostPosition(start);
            return null;
        }
        if (field < 0) {
            long progress = length(segment, position);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
        }
        int n = field - 1;
        if (n < 0) {
            return STOCK;
        }
        if (segment.size() - start < n) {
            return n > STOCK_ARRAY ? endOfSegment(in, segment) : STOCK;
        }
        if (!StringAccess.OPENED) {
            return readByScratch(in, segment, start, n);
        }
        return segment.isOffHeap()
                ? readOffHeap(in, segment, start, n)
                : readArray(in, segment.getArray(), start, segment.size(), n);
    }

    /** Ends as stock does after the last byte, without stock's array for a length that is a lie. */
    private static String endOfArray(ArrayInput in, int end) throws EOFException {
        in.boostPosition(end);
        throw new EOFException();
    }

    /** The same in a segment, where stock runs into the segment's own check. */
    private static String endOfSegment(SegmentInput in, MemorySegment segment) {
        in.boostPosition(segment.size() + 1);
        throw new IndexOutOfBoundsException("end of segment: " + segment.get(segment.size()));
    }

    private static String readArray(Positioned in, byte[] array, int start, int limit, int n) {
        if (n < BULK ? isShortAscii(array, start, n) : isLongAscii(array, start, n)) {
            in.boostPosition(start + n);
            return latin1(array, start, n);
        }
        return StringAccess.OPENED ? readText(in, array, start, limit, n) : STOCK;
    }

    private static String readText(Positioned in, byte[] array, int start, int limit, int n) {
        int first = VarintDecoder.firstNonAscii(array, start, limit);
        if (!VarintDecoder.startsAboveLatin1(array, first, limit)) {
            byte[] chars = new byte[n];
            long progress = VarintDecoder.decodeLatin1(array, start, limit, chars, 0, n);
            int behind = Progress.bytes(progress);
            if (Progress.characters(progress) == n) {
                in.boostPosition(behind);
                return StringAccess.newString(chars, StringAccess.LATIN1);
            }
            if (!VarintDecoder.startsAboveLatin1(array, behind, limit)) {
                return STOCK;
            }
        }
        if (n > Integer.MAX_VALUE >> 1) {
            return STOCK;
        }
        byte[] chars = new byte[n << 1];
        long progress = VarintDecoder.decodeUtf16(array, start, limit, chars, 0, n);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return StringAccess.newString(chars, StringAccess.UTF16);
    }

    private static String readOffHeap(SegmentInput in, MemorySegment segment, int start, int n) {
        if (n < BULK) {
            if (!isShortAscii(segment, start, n)) {
                return readOffHeapText(in, segment, start, n);
            }
            in.boostPosition(start + n);
            return StringAccess.newString(shortCopy(segment, start, n), StringAccess.LATIN1);
        }
        if ((segment.getLong(start) & NEGATIVES) == 0) {
            byte[] bytes = new byte[n];
            segment.get(start, bytes, 0, n);
            if (StringAccess.isAscii(bytes, 0, n)) {
                in.boostPosition(start + n);
                return StringAccess.newString(bytes, StringAccess.LATIN1);
            }
        }
        return readOffHeapText(in, segment, start, n);
    }

    private static String readOffHeapText(
            SegmentInput in, MemorySegment segment, int start, int n) {
        int present = segment.size() - start;
        byte[] scratch = scratch(in, (int) Math.min(Math.min(3L * n, CHUNK), present));
        int fetched = Math.min(scratch.length, present);
        segment.get(start, scratch, 0, fetched);
        int first = VarintDecoder.firstNonAscii(scratch, 0, fetched);
        if (!VarintDecoder.startsAboveLatin1(scratch, first, fetched)) {
            byte[] chars = new byte[n];
            long progress = decodeOffHeap(segment, start, scratch, chars, n, StringAccess.LATIN1);
            int behind = Progress.bytes(progress);
            if (Progress.characters(progress) == n) {
                in.boostPosition(behind);
                return StringAccess.newString(chars, StringAccess.LATIN1);
            }
            int left = Math.min(scratch.length, segment.size() - behind);
            if (!VarintDecoder.startsAboveLatin1(scratch, 0, left)) {
                return STOCK;
            }
        }
        byte[] chars = new byte[n << 1];
        long progress = decodeOffHeap(segment, start, scratch, chars, n, StringAccess.UTF16);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return StringAccess.newString(chars, StringAccess.UTF16);
    }

    /**
     * Decodes through the scratch array, piece by piece; where it stops early, the bytes that it
     * stopped at are at the start of the scratch array.
     */
    private static long decodeOffHeap(
            MemorySegment segment, int start, byte[] scratch, byte[] chars, int n, byte coder) {
        int i = 0;
        int p = start;
        while (true) {
            int fetched = Math.min(scratch.length, segment.size() - p);
            segment.get(p, scratch, 0, fetched);
            long progress =
                    coder == StringAccess.LATIN1
                            ? VarintDecoder.decodeLatin1(scratch, 0, fetched, chars, i, n)
                            : VarintDecoder.decodeUtf16(scratch, 0, fetched, chars, i, n);
            i = Progress.characters(progress);
            p += Progress.bytes(progress);
            if (i == n || Progress.bytes(progress) == 0) {
                return Progress.of(i, p);
            }
        }
    }

    /** Without a look into strings: through the view's own arrays and public constructors. */
    private static String readByScratch(SegmentInput in, MemorySegment segment, int start, int n) {
        if (n < BULK
                ? !isShortAscii(segment, start, n)
                : (segment.getLong(start) & NEGATIVES) != 0) {
            return readChars(in, segment, start, n);
        }
        byte[] scratch = scratch(in, n);
        segment.get(start, scratch, 0, n);
        if (!StringAccess.isAscii(scratch, 0, n)) {
            return readChars(in, segment, start, n);
        }
        in.boostPosition(start + n);
        return latin1(scratch, 0, n);
    }

    private static String readChars(SegmentInput in, MemorySegment segment, int start, int n) {
        byte[] scratch =
                scratch(in, (int) Math.min(Math.min(3L * n, CHUNK), segment.size() - start));
        char[] chars = in.boostCharScratch();
        if (chars == null || chars.length < n) {
            chars = new char[n];
            in.boostCharScratch(chars);
        }
        int i = 0;
        int p = start;
        while (i < n) {
            int fetched = Math.min(scratch.length, segment.size() - p);
            segment.get(p, scratch, 0, fetched);
            long progress = VarintDecoder.decodeChars(scratch, 0, fetched, chars, i, n);
            if (Progress.bytes(progress) == 0) {
                return STOCK;
            }
            i = Progress.characters(progress);
            p += Progress.bytes(progress);
        }
        in.boostPosition(p);
        return new String(chars, 0, n);
    }

    private static byte[] scratch(SegmentInput in, int size) {
        byte[] scratch = in.boostScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new byte[size];
            in.boostScratch(scratch);
        }
        return scratch;
    }

    /** With a high byte of 0 this constructor copies Latin-1 and decodes nothing. */
    @SuppressWarnings("deprecation")
    private static String latin1(byte[] bytes, int start, int n) {
        return new String(bytes, 0, start, n);
    }

    private static boolean isLongAscii(byte[] bytes, int start, int n) {
        return (WideArrays.getLong(bytes, start) & NEGATIVES) == 0
                && StringAccess.isAscii(bytes, start, n);
    }

    private static boolean isShortAscii(byte[] bytes, int start, int n) {
        if (n >= 8) {
            long seen = WideArrays.getLong(bytes, start + n - 8);
            for (int i = 0; i <= n - 8; i += 8) {
                seen |= WideArrays.getLong(bytes, start + i);
            }
            return (seen & NEGATIVES) == 0;
        }
        int seen = 0;
        for (int i = 0; i < n; i++) {
            seen |= bytes[start + i];
        }
        return seen >= 0;
    }

    private static boolean isShortAscii(MemorySegment segment, int start, int n) {
        if (n >= 8) {
            long seen = segment.getLong(start + n - 8);
            for (int i = 0; i <= n - 8; i += 8) {
                seen |= segment.getLong(start + i);
            }
            return (seen & NEGATIVES) == 0;
        }
        int seen = 0;
        for (int i = 0; i < n; i++) {
            seen |= segment.get(start + i);
        }
        return seen >= 0;
    }

    private static byte[] shortCopy(MemorySegment segment, int start, int n) {
        byte[] bytes = new byte[n];
        if (n >= 8) {
            for (int i = 0; i <= n - 8; i += 8) {
                WideArrays.putLong(bytes, i, segment.getLong(start + i));
            }
            WideArrays.putLong(bytes, n - 8, segment.getLong(start + n - 8));
        } else {
            for (int i = 0; i < n; i++) {
                bytes[i] = segment.get(start + i);
            }
        }
        return bytes;
    }

    /**
     * The length field, of one to five bytes.
     *
     * @return its value and the position behind it, {@link Progress}; value 0 where it is not one
     *     that a writer writes
     */
    private static long length(byte[] bytes, int position, int end) {
        int value = 0;
        int p = position;
        for (int shift = 0; shift <= 28 && p < end; shift += 7) {
            int b = bytes[p++];
            value |= (b & 0x7F) << shift;
            if (b >= 0) {
                return Progress.of(Math.max(value, 0), p);
            }
        }
        return Progress.of(0, p);
    }

    /** The same for a segment. */
    private static long length(MemorySegment segment, int position) {
        int value = 0;
        int p = position;
        for (int shift = 0; shift <= 28 && p < segment.size(); shift += 7) {
            int b = segment.get(p++);
            value |= (b & 0x7F) << shift;
            if (b >= 0) {
                return Progress.of(Math.max(value, 0), p);
            }
        }
        return Progress.of(0, p);
    }
}
