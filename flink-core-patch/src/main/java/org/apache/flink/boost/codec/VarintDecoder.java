// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.WideArrays;

// @twin SegmentDecoder: `byte[] in` is `org.apache.flink.core.memory.MemorySegment in`

/**
 * The raw loops from bytes to characters, the inverse of {@link VarintEncoder}.
 *
 * <p>A loop stops in front of a character of more than three bytes, which only stock's body judges,
 * and in front of one that does not lie completely below {@code limit}. What a word holds is found
 * out without branches where text mixes sizes: such text has no pattern to predict.
 */
public final class VarintDecoder {

    /** Words of mixed sizes that are taken without a look whether they still mix. */
    private static final int MIXED_WORDS = 8;

    private VarintDecoder() {}

    /**
     * Decodes from the first character on into little-endian UTF-16.
     *
     * @param chars array of {@code 2 * n} bytes
     * @return index behind the last byte, or {@link Progress#FOR_STOCK}
     */
    public static int decodeUtf16(byte[] in, int position, int limit, byte[] chars, int n) {
        int i = 0;
        int p = position;
        while (i <= n - 8 && p <= limit - 8) {
            long word = Bytes.longAt(in, p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES) {
                WideArrays.putLong(chars, i << 1, Words.fourOfTwoBytes(word));
                i += 4;
                p += 8;
            } else if (Words.areThreeBytes(more)) {
                WideArrays.putInt(chars, i << 1, Words.twoOfThreeBytes(word));
                i += 2;
                p += 6;
                int many = decodeThreeBytes(in, p, limit, chars, i, n);
                i += many;
                p += 3 * many;
            } else if (more == 0) {
                WideArrays.putLong(chars, i << 1, Words.widened(word));
                WideArrays.putLong(chars, (i << 1) + 8, Words.widened(word >>> 32));
                i += 8;
                p += 8;
            } else {
                // Where sizes mix they go on mixing: do not guess again for a while.
                for (int k = 0; k < MIXED_WORDS && i <= n - 3 && p <= limit - 8; k++) {
                    word = Bytes.longAt(in, p);
                    long ends = Words.more(~word);
                    int first = Long.numberOfTrailingZeros(ends) + 1;
                    ends &= ends - 1;
                    int second = Long.numberOfTrailingZeros(ends) + 1;
                    if ((first | second - first) > Words.MOST_BITS) {
                        return Progress.FOR_STOCK;
                    }
                    Bytes.putUtf16(chars, i, Words.first(word, first));
                    Bytes.putUtf16(chars, i + 1, Words.first(word >>> first, second - first));
                    ends &= ends - 1;
                    int third = Long.numberOfTrailingZeros(ends) + 1;
                    if (ends == 0 || third - second > Words.MOST_BITS) {
                        i += 2;
                        p += second >>> 3;
                        continue;
                    }
                    Bytes.putUtf16(chars, i + 2, Words.first(word >>> second, third - second));
                    i += 3;
                    p += third >>> 3;
                }
            }
        }
        while (i < n) {
            long word = bytesAt(in, p, limit);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES && i <= n - 4 && p <= limit - 8) {
                WideArrays.putLong(chars, i << 1, Words.fourOfTwoBytes(word));
                i += 4;
                p += 8;
                continue;
            }
            if (Words.areThreeBytes(more) && i <= n - 2 && p <= limit - 6) {
                WideArrays.putInt(chars, i << 1, Words.twoOfThreeBytes(word));
                i += 2;
                p += 6;
                continue;
            }
            int bits = Words.bitsOfFirst(more);
            if (bits > Words.MOST_BITS || bits >>> 3 > limit - p) {
                break;
            }
            Bytes.putUtf16(chars, i++, Words.first(word, bits));
            p += bits >>> 3;
            long rest = word >>> bits;
            int next = Words.bitsOfFirst(Words.more(rest));
            if (i < n && next <= Words.MOST_BITS && next >>> 3 <= limit - p) {
                Bytes.putUtf16(chars, i++, Words.first(rest, next));
                p += next >>> 3;
            }
        }
        return i == n ? p : Progress.FOR_STOCK;
    }

    /**
     * Characters of three bytes, four at a time, as long as no others come; a loop of its own,
     * whose bounds the compiler can check once.
     *
     * @return how many
     */
    private static int decodeThreeBytes(
            byte[] in, int position, int limit, byte[] chars, int from, int n) {
        // The second word of four ends two bytes behind them.
        int fours = Math.min(n - from >> 2, (limit - position - 2) / 12);
        for (int k = 0; k < fours; k++) {
            long first = Bytes.longAt(in, position + 12 * k);
            long second = Bytes.longAt(in, position + 12 * k + 6);
            if (!Words.areThreeBytes(first, second)) {
                return k << 2;
            }
            WideArrays.putLong(
                    chars, (from << 1) + (k << 3), Words.fourOfThreeBytes(first, second));
        }
        return Math.max(fours, 0) << 2;
    }

    /**
     * Decodes into an array with one element per character.
     *
     * @param from number of characters that are there already
     * @param n number of characters in the end
     * @return indices behind the last character and its last byte, {@link Progress}
     */
    public static long decodeChars(
            byte[] in, int position, int limit, char[] chars, int from, int n) {
        int i = from;
        int p = position;
        while (i <= n - 8 && p <= limit - 8) {
            long word = Bytes.longAt(in, p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES) {
                CharArrays.putFour(Words.fourOfTwoBytes(word), chars, i);
                i += 4;
                p += 8;
            } else if (Words.areThreeBytes(more)) {
                int two = Words.twoOfThreeBytes(word);
                chars[i] = (char) two;
                chars[i + 1] = (char) (two >>> 16);
                i += 2;
                p += 6;
            } else if (more == 0) {
                CharArrays.putFour(Words.widened(word), chars, i);
                CharArrays.putFour(Words.widened(word >>> 32), chars, i + 4);
                i += 8;
                p += 8;
            } else {
                // Where sizes mix they go on mixing: do not guess again for a while.
                for (int k = 0; k < MIXED_WORDS && i <= n - 3 && p <= limit - 8; k++) {
                    word = Bytes.longAt(in, p);
                    long ends = Words.more(~word);
                    int first = Long.numberOfTrailingZeros(ends) + 1;
                    ends &= ends - 1;
                    int second = Long.numberOfTrailingZeros(ends) + 1;
                    if ((first | second - first) > Words.MOST_BITS) {
                        return Progress.of(i, p);
                    }
                    chars[i] = (char) Words.first(word, first);
                    chars[i + 1] = (char) Words.first(word >>> first, second - first);
                    ends &= ends - 1;
                    int third = Long.numberOfTrailingZeros(ends) + 1;
                    if (ends == 0 || third - second > Words.MOST_BITS) {
                        i += 2;
                        p += second >>> 3;
                        continue;
                    }
                    chars[i + 2] = (char) Words.first(word >>> second, third - second);
                    i += 3;
                    p += third >>> 3;
                }
            }
        }
        while (i < n) {
            long word = bytesAt(in, p, limit);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES && i <= n - 4 && p <= limit - 8) {
                CharArrays.putFour(Words.fourOfTwoBytes(word), chars, i);
                i += 4;
                p += 8;
                continue;
            }
            if (Words.areThreeBytes(more) && i <= n - 2 && p <= limit - 6) {
                int two = Words.twoOfThreeBytes(word);
                chars[i++] = (char) two;
                chars[i++] = (char) (two >>> 16);
                p += 6;
                continue;
            }
            int bits = Words.bitsOfFirst(more);
            if (bits > Words.MOST_BITS || bits >>> 3 > limit - p) {
                break;
            }
            chars[i++] = (char) Words.first(word, bits);
            p += bits >>> 3;
            long rest = word >>> bits;
            int next = Words.bitsOfFirst(Words.more(rest));
            if (i < n && next <= Words.MOST_BITS && next >>> 3 <= limit - p) {
                chars[i++] = (char) Words.first(rest, next);
                p += next >>> 3;
            }
        }
        return Progress.of(i, p);
    }

    /**
     * Looks for the end of Latin-1 text.
     *
     * @return index behind its last byte; {@link Progress#ABOVE_LATIN1} or {@link
     *     Progress#FOR_STOCK} for what comes behind characters below 0x100
     */
    public static int latin1End(byte[] in, int position, int limit, int n) {
        int left = n;
        int p = position;
        long carried = 0;
        while (left >= 8 && p <= limit - 8) {
            long word = Bytes.longAt(in, p);
            long more = Words.more(word);
            long seconds = Words.seconds(more, carried);
            long wrong = Words.notLatin1(word, seconds);
            if (wrong != 0) {
                return other(in, p + Words.firstByte(wrong) - 1, limit);
            }
            left -= 8 - Long.bitCount(seconds);
            p += 8;
            carried = Words.carry(more);
        }
        if (left >= 8) {
            return Progress.FOR_STOCK;
        }
        long tail = latin1Tail(in, p, limit, left, carried);
        return tail < 0 ? (int) tail : p + Words.latin1Size(tail, left, carried);
    }

    /**
     * Decodes text for which {@link #latin1End} gave an end.
     *
     * @param chars array of {@code n} bytes, one per character, or more, which are overwritten
     */
    public static void decodeLatin1(byte[] in, int position, int limit, byte[] chars, int n) {
        int i = 0;
        int p = position;
        long carried = 0;
        while (i <= n - 8 && p <= limit - 8) {
            long word = Bytes.longAt(in, p);
            long more = Words.more(word);
            long seconds = Words.seconds(more, carried);
            WideArrays.putLong(chars, i, Words.withoutSeconds(word, seconds));
            i += 8 - Long.bitCount(seconds);
            p += 8;
            carried = Words.carry(more);
        }
        Bytes.putTail(latin1Tail(in, p, limit, n - i, carried), chars, i);
    }

    /**
     * The last up to seven characters of Latin-1 text, of one byte each with zeros above.
     *
     * @param carried as in {@link Words#seconds}
     * @return the characters; {@link Progress#ABOVE_LATIN1} or {@link Progress#FOR_STOCK} as above
     */
    public static long latin1Tail(byte[] in, int position, int limit, int left, long carried) {
        long word = bytesAt(in, position, limit);
        long more = Words.more(word);
        long seconds = Words.seconds(more, carried);
        long wrong = Words.notLatin1(word, seconds);
        long chars = Words.withoutSeconds(word, seconds);
        int kept = 8 - Long.bitCount(seconds);
        int size = Words.latin1Size(Words.lowBytes(chars, left), left, carried);
        if (kept < left || size > 8) {
            // The sum leaves the range of int behind the end of the longest arrays.
            word = limit - position > 8 ? bytesAt(in, position + 8, limit) : 0;
            seconds = Words.seconds(Words.more(word), Words.carry(more));
            chars |= Words.withoutSeconds(word, seconds) << (kept << 3);
            size = Words.latin1Size(Words.lowBytes(chars, left), left, carried);
            long wrongBehind = Words.lowBytes(Words.notLatin1(word, seconds), size - 8);
            if (wrong == 0 && wrongBehind != 0) {
                return other(in, position + 7 + Words.firstByte(wrongBehind), limit);
            }
        }
        wrong = Words.lowBytes(wrong, size);
        if (wrong != 0) {
            return other(in, position + Words.firstByte(wrong) - 1, limit);
        }
        return size > limit - position ? Progress.FOR_STOCK : Words.lowBytes(chars, left);
    }

    /** What a character is that is not Latin-1 as a writer writes it. */
    private static int other(byte[] in, int position, int limit) {
        long word = bytesAt(in, position, limit);
        int bits = Words.bitsOfFirst(Words.more(word));
        return bits <= Words.MOST_BITS
                        && bits >>> 3 <= limit - position
                        && Words.first(word, bits) > 0xFF
                ? Progress.ABOVE_LATIN1
                : Progress.FOR_STOCK;
    }

    /** Up to eight bytes below the limit, the first one lowest, zeros above. */
    public static long bytesAt(byte[] in, int position, int limit) {
        return limit - position >= 8
                ? Bytes.longAt(in, position)
                : lastBytesAt(in, position, limit);
    }

    private static long lastBytesAt(byte[] in, int position, int limit) {
        int left = limit - position;
        if (left > 0 && limit >= 8) {
            return Bytes.longAt(in, limit - 8) >>> -(left << 3);
        }
        long word = 0;
        for (int i = limit - 1; i >= position; i--) {
            word = word << 8 | Bytes.byteAt(in, i) & 0xFF;
        }
        return word;
    }
}
