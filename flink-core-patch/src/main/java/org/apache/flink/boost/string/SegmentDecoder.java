// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import org.apache.flink.core.memory.MemorySegment;

/**
 * {@link VarintDecoder} for the bytes of a memory segment, up to its end, heap or off-heap. The
 * loops are written again because one loop over both kinds of memory would not be compiled to plain
 * loads.
 */
final class SegmentDecoder {

    private SegmentDecoder() {}

    /** As {@link VarintDecoder#decodeUtf16}. */
    static long decodeUtf16(MemorySegment in, int position, byte[] chars, int n) {
        int i = 0;
        int p = position;
        int lastWord = in.size() - 8;
        while (i < n && p <= lastWord) {
            long word = in.getLongLittleEndian(p);
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
                VarintDecoder.putUtf16(chars, i++, Words.first(word, bits));
                p += bits >>> 3;
            }
        }
        while (i < n) {
            int c = charAt(in, p);
            if (c < 0) {
                break;
            }
            VarintDecoder.putUtf16(chars, i++, charOf(c));
            p += sizeOf(c);
        }
        return Progress.of(i, p);
    }

    /** As {@link #decodeUtf16}, into an array with one element per character. */
    static long decodeChars(MemorySegment in, int position, char[] chars, int n) {
        int i = 0;
        int p = position;
        int lastWord = in.size() - 8;
        while (i < n && p <= lastWord) {
            long word = in.getLongLittleEndian(p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES && i <= n - 4) {
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
        while (i < n) {
            int c = charAt(in, p);
            if (c < 0) {
                break;
            }
            chars[i++] = (char) charOf(c);
            p += sizeOf(c);
        }
        return Progress.of(i, p);
    }

    /** As {@link VarintDecoder#decodeLatin1}. */
    static long decodeLatin1(MemorySegment in, int position, byte[] chars, int n) {
        int i = 0;
        int p = position;
        int lastWord = in.size() - 8;
        while (i <= n - 8 && p <= lastWord) {
            long word = in.getLongLittleEndian(p);
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
            if (p < in.size() && in.get(p) >= 0) {
                chars[i++] = in.get(p);
                p++;
                continue;
            }
            int c = charAt(in, p);
            if (c < 0 || charOf(c) > 0xFF) {
                break;
            }
            chars[i++] = (byte) charOf(c);
            p += sizeOf(c);
        }
        return Progress.of(i, p);
    }

    /** As {@link VarintDecoder#firstNonAscii}. */
    static int firstNonAscii(MemorySegment in, int position) {
        int p = position;
        for (; p <= in.size() - 8; p += 8) {
            long more = Words.more(in.getLongLittleEndian(p));
            if (more != 0) {
                return p + (Long.numberOfTrailingZeros(more) >>> 3);
            }
        }
        while (p < in.size() && in.get(p) >= 0) {
            p++;
        }
        return p;
    }

    /** As {@link VarintDecoder#startsAboveLatin1}. */
    static boolean startsAboveLatin1(MemorySegment in, int position) {
        int c = charAt(in, position);
        return c >= 0 && charOf(c) > 0xFF;
    }

    /** The character that starts there and its size, or -1 where none of up to three bytes does. */
    private static int charAt(MemorySegment in, int position) {
        if (position <= in.size() - 8) {
            long word = in.getLongLittleEndian(position);
            int bits = Words.bitsOfFirst(Words.more(word));
            return bits > Words.MOST_BITS ? -1 : Words.first(word, bits) | bits >>> 3 << 16;
        }
        int bytes = 0;
        for (int size = 1; size <= 3 && position + size <= in.size(); size++) {
            int b = in.get(position + size - 1);
            bytes |= (b & 0xFF) << (size - 1 << 3);
            if (b >= 0) {
                return Words.ofThreeBytes(bytes) | size << 16;
            }
        }
        return -1;
    }

    private static int charOf(int characterAndSize) {
        return characterAndSize & 0xFFFF;
    }

    private static int sizeOf(int characterAndSize) {
        return characterAndSize >>> 16;
    }
}
