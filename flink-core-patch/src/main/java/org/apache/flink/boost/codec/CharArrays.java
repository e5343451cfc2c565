// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.WideArrays;

/** The raw loops from a {@code char[]}, which has no wide access, to encoded bytes. */
public final class CharArrays {

    /** Per 16-bit lane: the bits that an ASCII character does not have. */
    static final long NOT_ASCII = 0xFF80FF80FF80FF80L;

    private CharArrays() {}

    /** Encoded size of the characters of a range. */
    public static long encodedSize(char[] chars, int from, int to) {
        long size = 0;
        for (int i = from; i < to; i++) {
            size += CharWords.size(chars[i]);
        }
        return size;
    }

    /**
     * Encodes characters of a range, as long as the array has room for any character.
     *
     * @return index behind the last character encoded and position behind its bytes, {@link
     *     Progress}
     */
    public static long encode(char[] chars, int from, int to, byte[] out, int position) {
        int i = from;
        int p = position;
        int lastFour = out.length - VarintEncoder.LAST_SLACK;
        while (i <= to - 8 && p <= lastFour - 4 * CharWords.MOST_BYTES) {
            long low = four(chars, i);
            long high = four(chars, i + 4);
            if (((low | high) & NOT_ASCII) == 0) {
                WideArrays.putLong(out, p, narrow(low) | narrow(high) << 32);
                p += 8;
            } else {
                p = VarintEncoder.encodeFour(low, out, p);
                p = VarintEncoder.encodeLastFour(high, out, p);
            }
            i += 8;
        }
        if (i <= to - 4 && p <= lastFour) {
            p = VarintEncoder.encodeLastFour(four(chars, i), out, p);
            i += 4;
        }
        int last = out.length - CharWords.MOST_BYTES;
        for (; i < to && p <= last; i++) {
            p = VarintEncoder.encodeChar(chars[i], out, p);
        }
        return Progress.of(i, p);
    }

    /** Encodes a range of which the caller knows that it fits; returns the position behind it. */
    public static int encodeTightly(char[] chars, int from, int to, byte[] out, int position) {
        int p = position;
        for (int i = from; i < to; i++) {
            p = VarintEncoder.encodeChar(chars[i], out, p);
        }
        return p;
    }

    private static long four(char[] chars, int i) {
        return chars[i]
                | (long) chars[i + 1] << 16
                | (long) chars[i + 2] << 32
                | (long) chars[i + 3] << 48;
    }

    /** Four characters of UTF-16. */
    public static void putFour(long four, char[] chars, int index) {
        chars[index] = (char) four;
        chars[index + 1] = (char) (four >>> 16);
        chars[index + 2] = (char) (four >>> 32);
        chars[index + 3] = (char) (four >>> 48);
    }

    /** The low bytes of four characters below 0x80. */
    private static long narrow(long four) {
        long pairs = (four | four >>> 8) & Words.LOW_LANES;
        return (pairs | pairs >>> 16) & Words.LOW_HALF;
    }
}
