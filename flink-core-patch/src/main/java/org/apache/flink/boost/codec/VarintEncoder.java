// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.WideArrays;

/**
 * The raw loops from characters to bytes: each UTF-16 code unit is a base-128 varint of one byte
 * below 0x80, two below 0x4000, else three.
 *
 * <p>Callers have made sure that all bytes fit. A wide store may touch up to four bytes behind its
 * characters, so at least four more characters follow it, whose own bytes cover them; the last ones
 * are stored exactly, or what lies behind them is put back. Who comes back to a slot in a filled
 * array finds the rest as it was.
 */
public final class VarintEncoder {

    /** The top bits of four bytes. */
    private static final int TOP_BITS = (int) WideArrays.TOP_BITS;

    /** Four characters of any size: three may be as long as they get, an int is stored behind. */
    public static final int SLACK = 3 * CharWords.MOST_BYTES + Integer.BYTES;

    /** The last four, and the four bytes behind them that are put back. */
    public static final int LAST_SLACK = 4 * CharWords.MOST_BYTES + Integer.BYTES;

    /** Eight characters of Latin-1 take at most 16 bytes, and their last store ends there. */
    private static final int LATIN1_SLACK = 8 * 2;

    /** Seven characters of any size and four bytes behind them. */
    private static final int UTF16_SLACK = 7 * CharWords.MOST_BYTES + Integer.BYTES;

    private VarintEncoder() {}

    /**
     * Copies 4 to 32 Latin-1 characters that all are ASCII, and says whether they are. Words that
     * may overlap serve every length: the end of a loop would have to be guessed.
     */
    public static boolean copyAscii(byte[] value, byte[] out, int position) {
        int n = value.length;
        if (n < 8) {
            int first = WideArrays.getInt(value, 0);
            int last = WideArrays.getInt(value, n - 4);
            if (((first | last) & TOP_BITS) != 0) {
                return false;
            }
            WideArrays.putInt(out, position, first);
            WideArrays.putInt(out, position + n - 4, last);
            return true;
        }
        long first = WideArrays.getLong(value, 0);
        long last = WideArrays.getLong(value, n - 8);
        if (!Words.isAscii(first | last)) {
            return false;
        }
        if (n > 16) {
            long second = WideArrays.getLong(value, 8);
            long third = WideArrays.getLong(value, n - 16);
            if (!Words.isAscii(second | third)) {
                return false;
            }
            WideArrays.putLong(out, position + 8, second);
            WideArrays.putLong(out, position + n - 16, third);
        }
        WideArrays.putLong(out, position, first);
        WideArrays.putLong(out, position + n - 8, last);
        return true;
    }

    /** Encoded size of the Latin-1 characters from an index on; more than an int where it is. */
    public static long latin1Size(byte[] value, int from) {
        long size = value.length - from;
        for (int i = from; i < value.length; i++) {
            size += (value[i] & 0xFF) >>> 7;
        }
        return size;
    }

    /**
     * Encodes Latin-1 characters from an index on, as long as the array has room for any.
     *
     * @return index behind the last character encoded and position behind its bytes, {@link
     *     Progress}
     */
    public static long encodeLatin1(byte[] value, int from, byte[] out, int position) {
        int n = value.length;
        int i = from;
        int p = position;
        int lastWide = out.length - LATIN1_SLACK;
        for (; i <= n - 12 && p <= lastWide; i += 8) {
            long word = WideArrays.getLong(value, i);
            if (Words.isAscii(word)) {
                WideArrays.putLong(out, p, word);
                p += 8;
            } else {
                p = encodeFourLatin1((int) word, out, p);
                p = encodeFourLatin1((int) (word >>> 32), out, p);
            }
        }
        if (i > n - 12 && i <= n - 4 && p <= lastWide) {
            if (i <= n - 8) {
                p = encodeFourLatin1(WideArrays.getInt(value, i), out, p);
                i += 4;
            }
            p = putFourLatin1(WideArrays.getInt(value, i), out, p);
            i += 4;
            if (i < n && p <= out.length - 2 * (n - i)) {
                // One to three more, and those before them once more.
                int last = WideArrays.getInt(value, n - 4);
                p += n - i + Integer.bitCount((last & TOP_BITS) >>> (4 - (n - i) << 3));
                putFourLatin1(last, out, p - 4 - Integer.bitCount(last & TOP_BITS));
                i = n;
            }
        }
        for (; i < n && p <= out.length - 2; i++) {
            p = encodeChar(value[i] & 0xFF, out, p);
        }
        return Progress.of(i, p);
    }

    private static int encodeFourLatin1(int chars, byte[] out, int position) {
        WideArrays.putLong(out, position, CharWords.ofLatin1(chars));
        return position + 4 + Integer.bitCount(chars & TOP_BITS);
    }

    /** Four characters in exactly their bytes, of which the middle ones may be stored twice. */
    private static int putFourLatin1(int chars, byte[] out, int position) {
        long bytes = CharWords.ofLatin1(chars);
        int further = Integer.bitCount(chars & TOP_BITS);
        WideArrays.putInt(out, position, (int) bytes);
        WideArrays.putInt(out, position + further, (int) (bytes >>> (further << 3)));
        return position + 4 + further;
    }

    /** Encoded size of little-endian UTF-16 from an index on; more than an int where it is. */
    public static long utf16Size(byte[] value, int from) {
        long size = 0;
        for (int i = from; i < value.length; i += 2) {
            size += CharWords.size(charAt(value, i));
        }
        return size;
    }

    /**
     * Encodes little-endian UTF-16 from a byte index on, as long as the array has room for any
     * characters.
     *
     * @return byte index behind the last character encoded and position behind its bytes, {@link
     *     Progress}
     */
    public static long encodeUtf16(byte[] value, int from, byte[] out, int position) {
        int n = value.length;
        int i = from;
        int p = position;
        int lastWide = out.length - SLACK;
        for (; i <= n - 16 && p <= lastWide; i += 8) {
            p = encodeFour(WideArrays.getLong(value, i), out, p);
        }
        if (i < n && i > n - 16 && p <= out.length - UTF16_SLACK) {
            p = encodeLastUtf16(value, i, out, p);
            i = n;
        }
        for (; i < n && p <= out.length - CharWords.MOST_BYTES; i += 2) {
            p = encodeChar(charAt(value, i), out, p);
        }
        return Progress.of(i, p);
    }

    /** The last one to seven characters, without a change of what lies behind them. */
    private static int encodeLastUtf16(byte[] value, int index, byte[] out, int position) {
        int i = index;
        int p = position;
        if (i <= value.length - 8) {
            p = encodeLastFour(WideArrays.getLong(value, i), out, p);
            i += 8;
        }
        int left = value.length - i;
        return left == 0 ? p : encodeLast(utf16At(value, i, left), left >> 1, out, p);
    }

    /**
     * Encodes four characters, the first one lowest. At least four more have to follow them.
     *
     * @param position at least {@link #SLACK} in front of the array's end
     * @return position behind their bytes
     */
    public static int encodeFour(long chars, byte[] out, int position) {
        if (CharWords.areOfTwoBytes(chars)) {
            return putTwoBytes(chars, out, position);
        }
        if (CharWords.areOfThreeBytes(chars)) {
            return putThreeBytes(chars, out, position);
        }
        return encodeMixed(chars, 4, out, position);
    }

    /**
     * Encodes four characters, the first one lowest, without a change of what lies behind them.
     *
     * @param position at least {@link #LAST_SLACK} in front of the array's end
     * @return position behind their bytes
     */
    public static int encodeLastFour(long chars, byte[] out, int position) {
        if (CharWords.areOfTwoBytes(chars)) {
            return putTwoBytes(chars, out, position);
        }
        if (CharWords.areOfThreeBytes(chars)) {
            return putThreeBytes(chars, out, position);
        }
        return encodeLast(chars, 4, out, position);
    }

    /** Up to four characters, zeros above, without a change of what lies behind them. */
    private static int encodeLast(long chars, int n, byte[] out, int position) {
        int end = position + n + CharWords.furtherBytes(chars);
        int behind = WideArrays.getInt(out, end);
        encodeMixed(chars, n, out, position);
        WideArrays.putInt(out, end, behind);
        return end;
    }

    /** Exactly eight bytes. */
    private static int putTwoBytes(long chars, byte[] out, int position) {
        WideArrays.putLong(out, position, CharWords.lanesOfTwoBytes(chars, Words.TWO_BYTES));
        return position + 8;
    }

    /** Exactly twelve bytes. */
    private static int putThreeBytes(long chars, byte[] out, int position) {
        long last = CharWords.threeBytesOfTwo(chars >>> 32);
        WideArrays.putLong(out, position, CharWords.threeBytesOfTwo(chars) | last << 48);
        WideArrays.putInt(out, position + 8, (int) (last >>> 16));
        return position + 12;
    }

    /** Encodes the rest of little-endian UTF-16, of which the caller knows that it fits. */
    public static int encodeUtf16Tightly(byte[] value, int from, byte[] out, int position) {
        int p = position;
        for (int i = from; i < value.length; i += 2) {
            p = encodeChar(charAt(value, i), out, p);
        }
        return p;
    }

    /** Encodes the rest of Latin-1, of which the caller knows that it fits. */
    public static int encodeLatin1Tightly(byte[] value, int from, byte[] out, int position) {
        int p = position;
        for (int i = from; i < value.length; i++) {
            byte c = value[i];
            out[p++] = c;
            if (c < 0) {
                // A letter of 0x80 to 0xFF is that byte and a 1.
                out[p++] = 1;
            }
        }
        return p;
    }

    /**
     * Encodes one character without touching any byte behind it. By branches, and byte by byte: as
     * {@link CharWords#ofChar} gives them, a single one takes half a nanosecond more.
     */
    public static int encodeChar(int c, byte[] out, int position) {
        if (c < 0x80) {
            out[position] = (byte) c;
            return position + 1;
        }
        out[position] = (byte) (c | 0x80);
        if (c < 0x4000) {
            out[position + 1] = (byte) (c >>> 7);
            return position + 2;
        }
        out[position + 1] = (byte) (c >>> 7 | 0x80);
        out[position + 2] = (byte) (c >>> 14);
        return position + 3;
    }

    /**
     * Up to four characters of any size, zeros above, without branches on their order: mixed text
     * has no pattern to predict.
     */
    private static int encodeMixed(long chars, int n, byte[] out, int position) {
        if (n == 4 && CharWords.areOfOneOrTwoBytes(chars)) {
            long two = CharWords.twoBytes(chars);
            WideArrays.putLong(out, position, CharWords.ofTwoBytes(chars, two));
            return position + 4 + Long.bitCount(two);
        }
        int p = position;
        long rest = chars;
        for (int k = 0; k < n; k++, rest >>>= 16) {
            int c = (int) rest & 0xFFFF;
            int two = CharWords.two(c);
            int three = CharWords.three(c);
            WideArrays.putInt(out, p, CharWords.ofChar(c, two, three));
            p += 1 + two + three;
        }
        return p;
    }

    /** One to three characters of UTF-16 at the end of a string, zeros above. */
    private static long utf16At(byte[] value, int index, int bytes) {
        if (value.length >= 8) {
            return WideArrays.getLong(value, value.length - 8) >>> -(bytes << 3);
        }
        long chars = 0;
        for (int i = index + bytes - 2; i >= index; i -= 2) {
            chars = chars << 16 | charAt(value, i);
        }
        return chars;
    }

    public static int charAt(byte[] utf16, int index) {
        return (utf16[index] & 0xFF) | (utf16[index + 1] & 0xFF) << 8;
    }
}
