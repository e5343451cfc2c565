// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

/**
 * The raw loops from bytes to characters, the inverse of {@link VarintEncoder}.
 *
 * <p>Characters padded with zero groups to two or three bytes are read as stock reads them. A loop
 * stops in front of a character of more than three bytes, which only stock's body judges, and in
 * front of one that does not lie completely below {@code limit}.
 */
final class VarintDecoder {

    private static final long MORE = 0x8080808080808080L;

    /** Continuation bits of four characters of two bytes. */
    private static final long TWO_BYTES = 0x0080008000800080L;

    /** Continuation bits of two characters of three bytes, in the low six bytes. */
    private static final long THREE_BYTES = 0x0000008080008080L;

    private static final long SIX_BYTES = 0x0000FFFFFFFFFFFFL;
    private static final long LANE_LOW_7 = 0x007F007F007F007FL;
    private static final long LANE_BITS_7_TO_13 = 0x3F803F803F803F80L;

    /** What {@link #charAt} answers where there is no character of up to three bytes. */
    private static final int NONE = -1;

    private VarintDecoder() {}

    /**
     * Decodes into little-endian UTF-16.
     *
     * @param chars array of twice {@code end} bytes or more
     * @param from index of the first character to decode
     * @param end index behind the last one
     * @return indices behind the last character and its last byte, {@link Progress}
     */
    static long decodeUtf16(byte[] in, int position, int limit, byte[] chars, int from, int end) {
        int i = from;
        int p = position;
        while (i <= end - 8 && p <= limit - 8) {
            long word = WideArrays.getLong(in, p);
            long more = word & MORE;
            if (more == TWO_BYTES) {
                WideArrays.putLong(
                        chars, i << 1, (word & LANE_LOW_7) | (word >>> 1 & LANE_BITS_7_TO_13));
                i += 4;
                p += 8;
            } else if ((more & SIX_BYTES) == THREE_BYTES) {
                WideArrays.putInt(chars, i << 1, threeBytes(word) | threeBytes(word >>> 24) << 16);
                i += 2;
                p += 6;
            } else if (more == 0) {
                WideArrays.putLong(chars, i << 1, widened(word));
                WideArrays.putLong(chars, (i << 1) + 8, widened(word >>> 32));
                i += 8;
                p += 8;
            } else {
                // Any size: the lowest clear continuation bit ends the character.
                int bits = Long.numberOfTrailingZeros(~more & MORE) + 1;
                if (bits > 24) {
                    return Progress.of(i, p);
                }
                putChar(chars, i, threeBytes(word & -1L >>> -bits));
                i++;
                p += bits >>> 3;
            }
        }
        while (i < end) {
            int size = charSize(in, p, limit);
            if (size == NONE) {
                break;
            }
            putChar(chars, i++, charAt(in, p, size));
            p += size;
        }
        return Progress.of(i, p);
    }

    /**
     * Decodes into Latin-1; stops also in front of a character above 0xFF. Parameters and result as
     * {@link #decodeUtf16}, with one byte per character.
     */
    static long decodeLatin1(byte[] in, int position, int limit, byte[] chars, int from, int end) {
        int i = from;
        int p = position;
        while (i < end) {
            if (i <= end - 8 && p <= limit - 8) {
                long word = WideArrays.getLong(in, p);
                if ((word & MORE) == 0) {
                    WideArrays.putLong(chars, i, word);
                    i += 8;
                    p += 8;
                    continue;
                }
            }
            int size = charSize(in, p, limit);
            if (size == NONE) {
                break;
            }
            int c = charAt(in, p, size);
            if (c > 0xFF) {
                break;
            }
            chars[i++] = (byte) c;
            p += size;
        }
        return Progress.of(i, p);
    }

    /**
     * Decodes into an array of characters. Parameters and result as {@link #decodeUtf16}, with one
     * element per character.
     */
    static long decodeChars(byte[] in, int position, int limit, char[] chars, int from, int end) {
        int i = from;
        int p = position;
        while (i <= end - 4 && p <= limit - 8) {
            long word = WideArrays.getLong(in, p);
            long more = word & MORE;
            if (more == TWO_BYTES) {
                long four = (word & LANE_LOW_7) | (word >>> 1 & LANE_BITS_7_TO_13);
                chars[i] = (char) four;
                chars[i + 1] = (char) (four >>> 16);
                chars[i + 2] = (char) (four >>> 32);
                chars[i + 3] = (char) (four >>> 48);
                i += 4;
                p += 8;
            } else if ((more & SIX_BYTES) == THREE_BYTES) {
                chars[i] = (char) threeBytes(word);
                chars[i + 1] = (char) threeBytes(word >>> 24);
                i += 2;
                p += 6;
            } else {
                int bits = Long.numberOfTrailingZeros(~more & MORE) + 1;
                if (bits > 24) {
                    return Progress.of(i, p);
                }
                chars[i] = (char) threeBytes(word & -1L >>> -bits);
                i++;
                p += bits >>> 3;
            }
        }
        while (i < end) {
            int size = charSize(in, p, limit);
            if (size == NONE) {
                break;
            }
            chars[i++] = (char) charAt(in, p, size);
            p += size;
        }
        return Progress.of(i, p);
    }

    /** Index of the first byte from 0x80 on, or {@code limit}. */
    static int firstNonAscii(byte[] in, int position, int limit) {
        int p = position;
        for (; p <= limit - 8; p += 8) {
            long more = WideArrays.getLong(in, p) & MORE;
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
        return size != NONE && charAt(in, position, size) > 0xFF;
    }

    /** Bytes of the character that starts there, 1 to 3, or {@link #NONE}. */
    private static int charSize(byte[] in, int position, int limit) {
        for (int size = 1; size <= 3 && position + size <= limit; size++) {
            if (in[position + size - 1] >= 0) {
                return size;
            }
        }
        return NONE;
    }

    private static int charAt(byte[] in, int position, int size) {
        int c = in[position] & 0x7F;
        if (size > 1) {
            c |= (in[position + 1] & 0x7F) << 7;
        }
        if (size > 2) {
            c |= (in[position + 2] & 0x7F) << 14;
        }
        return c & 0xFFFF;
    }

    private static void putChar(byte[] chars, int index, int c) {
        chars[index << 1] = (byte) c;
        chars[(index << 1) + 1] = (byte) (c >>> 8);
    }

    /**
     * The character of up to three bytes in the low 24 bits, cut to 16 bits as stock's cast does.
     */
    private static int threeBytes(long bytes) {
        int b = (int) bytes;
        return (b & 0x7F) | (b >>> 1 & 0x3F80) | (b >>> 2 & 0xC000);
    }

    /** Four ASCII bytes in four 16-bit lanes. */
    private static long widened(long bytes) {
        long pairs = (bytes & 0xFFFFL) | (bytes & 0xFFFF0000L) << 16;
        return (pairs | pairs << 8) & 0x00FF00FF00FF00FFL;
    }
}
