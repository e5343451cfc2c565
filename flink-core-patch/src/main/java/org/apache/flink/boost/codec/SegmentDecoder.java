// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.core.memory.MemorySegment;

/**
 * {@link VarintDecoder} for the bytes of a memory segment, up to its end, heap or off-heap. The
 * loops are written again because one loop over both kinds of memory would not be compiled to plain
 * loads.
 */
public final class SegmentDecoder {

    private static final int MIXED_WORDS = VarintDecoder.MIXED_WORDS;

    private SegmentDecoder() {}

    /** As {@link VarintDecoder#decodeUtf16}. */
    public static long decodeUtf16(MemorySegment in, int position, byte[] chars, int n) {
        int limit = in.size();
        int i = 0;
        int p = position;
        while (i <= n - 8 && p <= limit - 8) {
            long word = in.getLongLittleEndian(p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES) {
                WideArrays.putLong(chars, i << 1, Words.fourOfTwoBytes(word));
                i += 4;
                p += 8;
            } else if (Words.areThreeBytes(more)) {
                WideArrays.putInt(chars, i << 1, Words.twoOfThreeBytes(word));
                i += 2;
                p += 6;
                int many = decodeThreeBytes(in, p, chars, i, n);
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
                    word = in.getLongLittleEndian(p);
                    long ends = Words.more(~word);
                    int first = Long.numberOfTrailingZeros(ends) + 1;
                    ends &= ends - 1;
                    int second = Long.numberOfTrailingZeros(ends) + 1;
                    if ((first | second - first) > Words.MOST_BITS) {
                        return Progress.of(i, p);
                    }
                    VarintDecoder.putUtf16(chars, i, Words.first(word, first));
                    VarintDecoder.putUtf16(
                            chars, i + 1, Words.first(word >>> first, second - first));
                    ends &= ends - 1;
                    int third = Long.numberOfTrailingZeros(ends) + 1;
                    if (ends == 0 || third - second > Words.MOST_BITS) {
                        i += 2;
                        p += second >>> 3;
                        continue;
                    }
                    VarintDecoder.putUtf16(
                            chars, i + 2, Words.first(word >>> second, third - second));
                    i += 3;
                    p += third >>> 3;
                }
            }
        }
        while (i < n) {
            long word = bytesAt(in, p);
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
            VarintDecoder.putUtf16(chars, i++, Words.first(word, bits));
            p += bits >>> 3;
            long rest = word >>> bits;
            int next = Words.bitsOfFirst(Words.more(rest));
            if (i < n && next <= Words.MOST_BITS && next >>> 3 <= limit - p) {
                VarintDecoder.putUtf16(chars, i++, Words.first(rest, next));
                p += next >>> 3;
            }
        }
        return Progress.of(i, p);
    }

    /**
     * Characters of three bytes, four at a time, as long as no others come; a loop of its own,
     * whose bounds the compiler can check once.
     *
     * @return how many
     */
    private static int decodeThreeBytes(
            MemorySegment in, int position, byte[] chars, int from, int n) {
        int fours = Math.min(n - from >> 2, (in.size() - position - 2) / 12);
        for (int k = 0; k < fours; k++) {
            long first = in.getLongLittleEndian(position + 12 * k);
            long second = in.getLongLittleEndian(position + 12 * k + 6);
            if (!Words.areThreeBytes(first, second)) {
                return k << 2;
            }
            WideArrays.putLong(
                    chars, (from << 1) + (k << 3), Words.fourOfThreeBytes(first, second));
        }
        return Math.max(fours, 0) << 2;
    }

    /** As {@link VarintDecoder#decodeChars}. */
    public static long decodeChars(MemorySegment in, int position, char[] chars, int n) {
        int limit = in.size();
        int i = 0;
        int p = position;
        while (i <= n - 8 && p <= limit - 8) {
            long word = in.getLongLittleEndian(p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES) {
                VarintDecoder.putFour(Words.fourOfTwoBytes(word), chars, i);
                i += 4;
                p += 8;
            } else if (Words.areThreeBytes(more)) {
                int two = Words.twoOfThreeBytes(word);
                chars[i] = (char) two;
                chars[i + 1] = (char) (two >>> 16);
                i += 2;
                p += 6;
            } else if (more == 0) {
                VarintDecoder.putFour(Words.widened(word), chars, i);
                VarintDecoder.putFour(Words.widened(word >>> 32), chars, i + 4);
                i += 8;
                p += 8;
            } else {
                // Where sizes mix they go on mixing: do not guess again for a while.
                for (int k = 0; k < MIXED_WORDS && i <= n - 3 && p <= limit - 8; k++) {
                    word = in.getLongLittleEndian(p);
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
            long word = bytesAt(in, p);
            long more = Words.more(word);
            if (more == Words.TWO_BYTES && i <= n - 4 && p <= limit - 8) {
                VarintDecoder.putFour(Words.fourOfTwoBytes(word), chars, i);
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

    /** As {@link VarintDecoder#latin1End}. */
    public static int latin1End(MemorySegment in, int position, int n) {
        int limit = in.size();
        int left = n;
        int p = position;
        long carried = 0;
        while (left >= 8 && p <= limit - 8) {
            long word = in.getLongLittleEndian(p);
            long more = Words.more(word);
            long seconds = Words.seconds(more, carried);
            long wrong = Words.notLatin1(word, seconds);
            if (wrong != 0) {
                return ~(p + Words.firstByte(wrong) - 1);
            }
            left -= 8 - Long.bitCount(seconds);
            p += 8;
            carried = Words.carry(more);
        }
        if (left >= 8) {
            return ~limit;
        }
        long tail = latin1Tail(in, p, left, carried);
        return tail < 0 ? ~(p + (int) ~tail - 1) : p + Words.latin1Size(tail, left, carried);
    }

    /** As {@link VarintDecoder#decodeLatin1}. */
    public static void decodeLatin1(MemorySegment in, int position, byte[] chars, int n) {
        int limit = in.size();
        int i = 0;
        int p = position;
        long carried = 0;
        while (i <= n - 8 && p <= limit - 8) {
            long word = in.getLongLittleEndian(p);
            long more = Words.more(word);
            long seconds = Words.seconds(more, carried);
            WideArrays.putLong(chars, i, Words.withoutSeconds(word, seconds));
            i += 8 - Long.bitCount(seconds);
            p += 8;
            carried = Words.carry(more);
        }
        VarintDecoder.putTail(latin1Tail(in, p, n - i, carried), chars, i);
    }

    /** As {@link VarintDecoder#latin1Tail}. */
    public static long latin1Tail(MemorySegment in, int position, int left, long carried) {
        int limit = in.size();
        long word = bytesAt(in, position);
        long more = Words.more(word);
        long seconds = Words.seconds(more, carried);
        long wrong = Words.notLatin1(word, seconds);
        long chars = Words.withoutSeconds(word, seconds);
        int kept = 8 - Long.bitCount(seconds);
        int size = Words.latin1Size(Words.lowBytes(chars, left), left, carried);
        if (kept < left || size > 8) {
            word = limit - position > 8 ? bytesAt(in, position + 8) : 0;
            seconds = Words.seconds(Words.more(word), Words.carry(more));
            chars |= Words.withoutSeconds(word, seconds) << (kept << 3);
            size = Words.latin1Size(Words.lowBytes(chars, left), left, carried);
            long wrongBehind = Words.lowBytes(Words.notLatin1(word, seconds), size - 8);
            if (wrong == 0 && wrongBehind != 0) {
                return ~(8 + Words.firstByte(wrongBehind));
            }
        }
        wrong = Words.lowBytes(wrong, size);
        if (wrong != 0) {
            return ~Words.firstByte(wrong);
        }
        return size > limit - position ? ~(limit - position + 1) : Words.lowBytes(chars, left);
    }

    /** As {@link VarintDecoder#isAboveLatin1}. */
    public static boolean isAboveLatin1(MemorySegment in, int position) {
        int limit = in.size();
        long word = bytesAt(in, position);
        int bits = Words.bitsOfFirst(Words.more(word));
        return bits <= Words.MOST_BITS
                && bits >>> 3 <= limit - position
                && Words.first(word, bits) > 0xFF;
    }

    /** As {@link VarintDecoder#bytesAt}. */
    public static long bytesAt(MemorySegment in, int position) {
        return in.size() - position >= 8
                ? in.getLongLittleEndian(position)
                : lastBytesAt(in, position);
    }

    private static long lastBytesAt(MemorySegment in, int position) {
        int limit = in.size();
        int left = limit - position;
        if (left > 0 && limit >= 8) {
            return in.getLongLittleEndian(limit - 8) >>> -(left << 3);
        }
        long word = 0;
        for (int i = limit - 1; i >= position; i--) {
            word = word << 8 | in.get(i) & 0xFF;
        }
        return word;
    }
}
