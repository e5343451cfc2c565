// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Finds where an encoded value ends without decoding it: every character ends with the first byte
 * below 0x80, padded and over-long ones too, so the end is behind the n-th such byte.
 */
public final class ValueEnd {

    private static final long MORE = 0x8080808080808080L;

    /** From here on the JDK's vectorised check is tried before words are counted. */
    private static final int BULK = 32;

    private ValueEnd() {}

    /**
     * Index behind the last byte of n characters, or -1 where not all of them end below {@code
     * limit}.
     *
     * @param n at most the number of bytes from the position to the limit
     */
    public static int find(byte[] in, int position, int limit, int n) {
        if (n >= BULK
                && (WideArrays.getLong(in, position) & MORE) == 0
                && StringAccess.isAscii(in, position, n)) {
            return position + n;
        }
        int missing = n;
        int p = position;
        for (; missing > 0 && p <= limit - 8; p += 8) {
            long ends = ~WideArrays.getLong(in, p) & MORE;
            int count = Long.bitCount(ends);
            if (count >= missing) {
                return p + sizeOf(ends, missing);
            }
            missing -= count;
        }
        for (; missing > 0 && p < limit; p++) {
            missing -= ends(in[p]);
        }
        return missing > 0 ? -1 : p;
    }

    /** The same in a segment, up to its end. */
    public static int find(MemorySegment in, int position, int n) {
        int missing = n;
        int p = position;
        int lastWord = in.size() - 8;
        for (; missing > 0 && p <= lastWord; p += 8) {
            long ends = ~in.getLongLittleEndian(p) & MORE;
            int count = Long.bitCount(ends);
            if (count >= missing) {
                return p + sizeOf(ends, missing);
            }
            missing -= count;
        }
        for (; missing > 0 && p < in.size(); p++) {
            missing -= ends(in.get(p));
        }
        return missing > 0 ? -1 : p;
    }

    /** Number of characters that end in the first so many bytes. */
    public static int count(byte[] in, int size) {
        int count = 0;
        int p = 0;
        for (; p <= size - 8; p += 8) {
            count += Long.bitCount(~WideArrays.getLong(in, p) & MORE);
        }
        for (; p < size; p++) {
            count += ends(in[p]);
        }
        return count;
    }

    /** Bytes up to the n-th end in a word that has at least n. */
    public static int sizeOf(long ends, int n) {
        long ascii = MORE >>> (8 - n << 3);
        if ((ends & ascii) == ascii) {
            return n;
        }
        long rest = ends;
        for (int i = 1; i < n; i++) {
            rest &= rest - 1;
        }
        return (Long.numberOfTrailingZeros(rest) >>> 3) + 1;
    }

    private static int ends(byte b) {
        return ~b >>> 31;
    }
}
