// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import org.apache.flink.core.memory.MemorySegment;

/** The raw loops between encoded bytes and a {@code char[]}, which has no wide access. */
final class CharArrays {

    private static final long NEGATIVES = 0x8080808080808080L;

    private CharArrays() {}

    /**
     * Decodes characters of up to three bytes; stops in front of a longer one and of one that does
     * not lie completely below {@code limit}, as {@link VarintDecoder} does.
     *
     * @param from number of characters that are there already
     * @param n number of characters in the end
     * @return number of characters now and index behind the last byte, {@link Progress}
     */
    static long decode(byte[] in, int position, int limit, char[] chars, int from, int n) {
        int i = from;
        int p = position;
        int lastWord = limit - 8;
        while (i < n && p <= lastWord) {
            long word = WideArrays.getLong(in, p);
            long more = Words.more(word);
            if (more == 0 && i <= n - 8) {
                putEight(chars, i, word);
                i += 8;
                p += 8;
            } else if (more == Words.TWO_BYTES && i <= n - 4) {
                long four = Words.fourOfTwoBytes(word);
                chars[i] = (char) four;
                chars[i + 1] = (char) (four >>> 16);
                chars[i + 2] = (char) (four >>> 32);
                chars[i + 3] = (char) (four >>> 48);
                i += 4;
                p += 8;
            } else if ((more & Words.SIX_BYTES) == Words.THREE_BYTES && i <= n - 2) {
                int two = Words.twoOfThreeBytes(word);
                chars[i] = (char) two;
                chars[i + 1] = (char) (two >>> 16);
                i += 2;
                p += 6;
            } else {
                int bits = Words.bitsOfFirst(more);
                if (bits > Words.MOST_BITS) {
                    return Progress.of(i, p);
                }
                chars[i++] = (char) Words.first(word, bits);
                p += bits >>> 3;
            }
        }
        while (i < n && p < limit) {
            int b = in[p];
            if (b >= 0) {
                chars[i++] = (char) b;
                p++;
            } else if (p + 1 < limit && in[p + 1] >= 0) {
                chars[i++] = (char) (b & 0x7F | in[p + 1] << 7);
                p += 2;
            } else if (p + 2 < limit && in[p + 2] >= 0) {
                chars[i++] = (char) (b & 0x7F | (in[p + 1] & 0x7F) << 7 | in[p + 2] << 14);
                p += 3;
            } else {
                break;
            }
        }
        return Progress.of(i, p);
    }

    /** Decodes n characters from a segment if all of them are ASCII; else an array half done. */
    static boolean decodeAscii(MemorySegment in, int position, char[] chars, int n) {
        int i = 0;
        for (; i <= n - 8; i += 8) {
            long word = in.getLongLittleEndian(position + i);
            if ((word & NEGATIVES) != 0) {
                return false;
            }
            putEight(chars, i, word);
        }
        for (; i < n; i++) {
            byte b = in.get(position + i);
            if (b < 0) {
                return false;
            }
            chars[i] = (char) b;
        }
        return true;
    }

    /** Encoded size of the characters of a range. */
    static long encodedSize(char[] chars, int from, int to) {
        long size = 0;
        for (int i = from; i < to; i++) {
            size += VarintEncoder.charSize(chars[i]);
        }
        return size;
    }

    /**
     * Encodes characters of a range, as long as the array has room for any character.
     *
     * @return index behind the last character encoded and position behind its bytes, {@link
     *     Progress}
     */
    static long encode(char[] chars, int from, int to, byte[] out, int position) {
        int i = from;
        int p = position;
        int lastWide = out.length - 24;
        while (i <= to - 8 && p <= lastWide) {
            long low = four(chars, i);
            long high = four(chars, i + 4);
            if (((low | high) & 0xFF80FF80FF80FF80L) == 0) {
                WideArrays.putLong(out, p, narrow(low) | narrow(high) << 32);
                p += 8;
            } else {
                for (int k = i; k < i + 8; k++) {
                    p = VarintEncoder.encodeChar(chars[k], out, p);
                }
            }
            i += 8;
        }
        int last = out.length - 3;
        for (; i < to && p <= last; i++) {
            p = VarintEncoder.encodeChar(chars[i], out, p);
        }
        return Progress.of(i, p);
    }

    /** Encodes a range of which the caller knows that it fits; returns the position behind it. */
    static int encodeTightly(char[] chars, int from, int to, byte[] out, int position) {
        int p = position;
        for (int i = from; i < to; i++) {
            p = VarintEncoder.encodeChar(chars[i], out, p);
        }
        return p;
    }

    /** Eight ASCII characters. */
    private static void putEight(char[] chars, int index, long word) {
        chars[index] = (char) (word & 0xFF);
        chars[index + 1] = (char) (word >>> 8 & 0xFF);
        chars[index + 2] = (char) (word >>> 16 & 0xFF);
        chars[index + 3] = (char) (word >>> 24 & 0xFF);
        chars[index + 4] = (char) (word >>> 32 & 0xFF);
        chars[index + 5] = (char) (word >>> 40 & 0xFF);
        chars[index + 6] = (char) (word >>> 48 & 0xFF);
        chars[index + 7] = (char) (word >>> 56);
    }

    private static long four(char[] chars, int i) {
        return chars[i]
                | (long) chars[i + 1] << 16
                | (long) chars[i + 2] << 32
                | (long) chars[i + 3] << 48;
    }

    /** The low bytes of four characters below 0x80. */
    private static long narrow(long four) {
        long pairs = (four | four >>> 8) & 0x0000FFFF0000FFFFL;
        return (pairs | pairs >>> 16) & 0xFFFFFFFFL;
    }
}
