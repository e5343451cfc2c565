// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

/**
 * The raw loops from the bytes of an array to characters, the inverse of {@link VarintEncoder}.
 * {@link SegmentDecoder} is the same for memory segments.
 *
 * <p>Characters padded with zero groups to two or three bytes are read as stock reads them. A loop
 * stops in front of a character of more than three bytes, which only stock's body judges, and in
 * front of one that does not lie completely below {@code limit}.
 */
final class VarintDecoder {

    private VarintDecoder() {}

    /**
     * Decodes from the first character on into little-endian UTF-16.
     *
     * @param chars array of {@code 2 * n} bytes
     * @return indices behind the last character and its last byte, {@link Progress}
     */
    static long decodeUtf16(byte[] in, int position, int limit, byte[] chars, int n) {
        int i = 0;
        int p = position;
        while (i < n && p <= limit - 8) {
            long word = WideArrays.getLong(in, p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES && i <= n - 4) {
                WideArrays.putLong(chars, i << 1, Words.fourOfTwoBytes(word));
                i += 4;
                p += 8;
            } else if ((more & Words.SIX_BYTES) == Words.THREE_BYTES && i <= n - 2) {
                WideArrays.putInt(chars, i << 1, Words.twoOfThreeBytes(word));
                i += 2;
                p += 6;
            } else if (more == 0 && i <= n - 8) {
                WideArrays.putLong(chars, i << 1, Words.widened(word));
                WideArrays.putLong(chars, (i << 1) + 8, Words.widened(word >>> 32));
                i += 8;
                p += 8;
            } else {
                int bits = Words.bitsOfFirst(more);
                if (bits > Words.MOST_BITS) {
                    return Progress.of(i, p);
                }
                putUtf16(chars, i++, Words.first(word, bits));
                p += bits >>> 3;
            }
        }
        while (i < n) {
            int size = charSize(in, p, limit);
            if (size == 0) {
                break;
            }
            putUtf16(chars, i++, charAt(in, p, size));
            p += size;
        }
        return Progress.of(i, p);
    }

    /**
     * Decodes from the first character on into Latin-1; stops also in front of a character above
     * 0xFF. Parameters and result as {@link #decodeUtf16}, with one byte per character.
     */
    static long decodeLatin1(byte[] in, int position, int limit, byte[] chars, int n) {
        int i = 0;
        int p = position;
        int lastWord = limit - 8;
        while (i <= n - 8 && p <= lastWord) {
            long word = WideArrays.getLong(in, p);
            // The bytes up to the first that is not ASCII; what is behind them is overwritten.
            WideArrays.putLong(chars, i, word);
            int ascii = Words.asciiBytes(Words.more(word));
            i += ascii;
            p += ascii;
            if (ascii < 7) {
                int pair = (int) (word >>> (ascii << 3)) & 0xFFFF;
                if (pair > Words.LAST_LATIN1) {
                    break;
                }
                chars[i++] = (byte) (pair & 0x7F | pair >>> 1 & 0x80);
                p += 2;
            }
        }
        while (i < n) {
            if (p < limit && in[p] >= 0) {
                chars[i++] = in[p];
                p++;
                continue;
            }
            int size = charSize(in, p, limit);
            int c = size == 0 ? Integer.MAX_VALUE : charAt(in, p, size);
            if (c > 0xFF) {
                break;
            }
            chars[i++] = (byte) c;
            p += size;
        }
        return Progress.of(i, p);
    }

    /** Index of the first byte from 0x80 on, or {@code limit}. */
    static int firstNonAscii(byte[] in, int position, int limit) {
        int p = position;
        for (; p <= limit - 8; p += 8) {
            long more = Words.more(WideArrays.getLong(in, p));
            if (more != 0) {
                return p + (Long.numberOfTrailingZeros(more) >>> 3);
            }
        }
        while (p < limit && in[p] >= 0) {
            p++;
        }
        return p;
    }

    /** Whether a character above 0xFF starts there; false also where no complete one does. */
    static boolean startsAboveLatin1(byte[] in, int position, int limit) {
        int size = charSize(in, position, limit);
        return size != 0 && charAt(in, position, size) > 0xFF;
    }

    /** Writes one character of little-endian UTF-16. */
    static void putUtf16(byte[] chars, int index, int c) {
        chars[index << 1] = (byte) c;
        chars[(index << 1) + 1] = (byte) (c >>> 8);
    }

    /** Bytes of the character that starts there, 1 to 3; 0 where there is no such character. */
    private static int charSize(byte[] in, int position, int limit) {
        for (int size = 1; size <= 3 && position + size <= limit; size++) {
            if (in[position + size - 1] >= 0) {
                return size;
            }
        }
        return 0;
    }

    private static int charAt(byte[] in, int position, int size) {
        int bytes = in[position] & 0xFF;
        if (size > 1) {
            bytes |= (in[position + 1] & 0xFF) << 8;
        }
        if (size > 2) {
            bytes |= (in[position + 2] & 0xFF) << 16;
        }
        return Words.ofThreeBytes(bytes);
    }
}
