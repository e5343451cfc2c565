// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

// @twin SegmentValueEnd: `byte[] in` is `org.apache.flink.core.memory.MemorySegment in`

/**
 * Finds where an encoded value ends without decoding it: every character ends with the first byte
 * below 0x80, padded and over-long ones too, so the end is behind the n-th such byte.
 */
public final class ValueEnd {

    /** Words are counted below; from here on the JDK's vectorised check is tried first. */
    private static final int CHECK_FROM = 32;

    private ValueEnd() {}

    /**
     * Index behind a value, or {@link Progress#FOR_STOCK} where it does not end below {@code
     * limit}.
     *
     * @param position index of its length field, below the limit
     */
    public static int of(byte[] in, int position, int limit) {
        int field = Bytes.byteAt(in, position);
        int start = position + 1;
        if (field < 0) {
            long word = VarintDecoder.bytesAt(in, position, limit);
            long progress = Varint.of(word, limit - position);
            field = Progress.characters(progress);
            start = position + Progress.bytes(progress);
            if (field == 0) {
                return Progress.FOR_STOCK;
            }
        }
        int n = field == 0 ? 0 : field - 1;
        return limit - start < n ? Progress.FOR_STOCK : find(in, start, limit, n);
    }

    /** Behind n characters, at most as many as there are bytes up to the limit. */
    private static int find(byte[] in, int position, int limit, int n) {
        if (n >= CHECK_FROM && Bytes.areAscii(in, position, n)) {
            return position + n;
        }
        int missing = n;
        int p = position;
        for (; missing > 0 && p <= limit - 8; p += 8) {
            long ends = Words.more(~Bytes.longAt(in, p));
            int count = Long.bitCount(ends);
            if (count >= missing) {
                return p + Words.sizeOf(ends, missing);
            }
            missing -= count;
        }
        for (; missing > 0 && p < limit; p++) {
            missing -= ~Bytes.byteAt(in, p) >>> 31;
        }
        return missing > 0 ? Progress.FOR_STOCK : p;
    }
}
