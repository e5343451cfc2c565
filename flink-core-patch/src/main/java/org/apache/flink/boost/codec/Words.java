// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.WideArrays;

/**
 * Encoded characters in a {@code long} of eight bytes, the first byte lowest: which sizes they
 * have, and what they are. {@link CharWords} is the way back. No memory is touched here.
 */
public final class Words {

    /** {@link #more} of four characters of two bytes. */
    public static final long TWO_BYTES = 0x0080008000800080L;

    /** {@link #more} of two characters of three bytes, in the low {@link #SIX_BYTES}. */
    public static final long THREE_BYTES = 0x0000008080008080L;

    /** Mask of the low six bytes. */
    public static final long SIX_BYTES = 0x0000FFFFFFFFFFFFL;

    /** Longest character that a writer writes. */
    public static final int MOST_BITS = Byte.SIZE * CharWords.MOST_BYTES;

    /** Per 16-bit lane: its lowest bit. */
    static final long LANE_ONE = 0x0001000100010001L;

    /** The low 16-bit lane of each half. */
    static final long LOW_LANES = 0x0000FFFF0000FFFFL;

    static final long HALF_LOW_7 = 0x0000007F0000007FL;
    static final long HALF_BITS_7_TO_13 = 0x00003F8000003F80L;
    static final long HALF_BITS_14_TO_15 = 0x0000C0000000C000L;
    static final long HALF_LOW_24 = 0x0000000000FFFFFFL;
    static final long UPPER_THREE_BYTES = 0x0000FFFFFF000000L;
    static final long HALF_ONE = 0x0000000100000001L;
    static final long LOW_HALF = 0x00000000FFFFFFFFL;
    static final long LANE_LOW_BYTE = 0x00FF00FF00FF00FFL;
    static final long LANE_LOW_7 = 0x007F007F007F007FL;
    static final long LANE_BITS_7_TO_13 = 0x3F803F803F803F80L;

    private Words() {}

    /** The top bit of each byte: another byte of the same character follows. */
    public static long more(long word) {
        return word & WideArrays.TOP_BITS;
    }

    /** Whether all eight bytes are ASCII. */
    public static boolean isAscii(long word) {
        return (word & WideArrays.TOP_BITS) == 0;
    }

    /** Whether the first characters, up to four, have two bytes each. */
    private static boolean areTwoBytes(long more, int n) {
        return lowBytes(more ^ TWO_BYTES, n << 1) == 0;
    }

    /**
     * Bytes of the first characters where all of them are in the word and of one size: up to four
     * of two bytes, or two of three. 0 for others.
     */
    public static int sizeOfFew(long word, int n) {
        if (n > 4) {
            return 0;
        }
        long more = more(word);
        return areTwoBytes(more, n) ? n << 1 : n == 2 && areThreeBytes(more) ? 6 : 0;
    }

    /** The characters for which {@link #sizeOfFew} gave a size, as UTF-16. */
    public static long few(long word, int n, int size) {
        return size == n << 1 ? fourOfTwoBytes(word) : twoOfThreeBytes(word);
    }

    /** Four characters of two bytes as UTF-16. */
    public static long fourOfTwoBytes(long word) {
        return (word & LANE_LOW_7) | (word >>> 1 & LANE_BITS_7_TO_13);
    }

    /** Two characters of three bytes as UTF-16. */
    public static int twoOfThreeBytes(long word) {
        long halves = (word & HALF_LOW_24) | (word & UPPER_THREE_BYTES) << 8;
        long chars =
                (halves & HALF_LOW_7)
                        | (halves >>> 1 & HALF_BITS_7_TO_13)
                        | (halves >>> 2 & HALF_BITS_14_TO_15);
        return (int) (chars | chars >>> 16);
    }

    /** Four characters of three bytes, two in each word, as UTF-16. */
    public static long fourOfThreeBytes(long first, long second) {
        return twoOfThreeBytes(first) & LOW_HALF | (long) twoOfThreeBytes(second) << 32;
    }

    /** Whether a word begins with two characters of three bytes. */
    public static boolean areThreeBytes(long more) {
        return (more & SIX_BYTES) == THREE_BYTES;
    }

    /** Whether both words begin with two characters of three bytes. */
    public static boolean areThreeBytes(long first, long second) {
        return ((first ^ THREE_BYTES | second ^ THREE_BYTES) & SIX_BYTES & WideArrays.TOP_BITS)
                == 0;
    }

    /** Four ASCII characters, in the low four bytes, as UTF-16. */
    public static long widened(long word) {
        long pairs = (word & 0xFFFFL) | (word & 0xFFFF0000L) << 16;
        return (pairs | pairs << 8) & LANE_LOW_BYTE;
    }

    /** The low bytes, all of them from 8 on. */
    public static long lowBytes(long word, int bytes) {
        return bytes >= 8 ? word : word & ~(-1L << (bytes << 3));
    }

    /** Index of the lowest byte that is not zero. */
    public static int firstByte(long word) {
        return Long.numberOfTrailingZeros(word) >>> 3;
    }

    /**
     * The second bytes of Latin-1 letters, marked in their top bits.
     *
     * @param carried {@link #carry} of the word before
     */
    public static long seconds(long more, long carried) {
        return more << 8 | carried;
    }

    /** The mark for the first byte of the next word, when a letter's second byte is there. */
    public static long carry(long more) {
        return more >>> 56;
    }

    /**
     * What is not Latin-1 as a writer writes it: a letter of 0x80 to 0xFF is that byte and a 1.
     * Zero for Latin-1; otherwise not zero where the second byte of another character is.
     */
    public static long notLatin1(long word, long seconds) {
        long ones = seconds >>> 7;
        return (word & (ones << 8) - ones) ^ ones;
    }

    /**
     * Bytes of characters that {@link #withoutSeconds} gave, with a second byte in front or not.
     */
    public static int latin1Size(long chars, int n, long carried) {
        return n + (int) (carried >>> 7) + Long.bitCount(chars & WideArrays.TOP_BITS);
    }

    /**
     * Latin-1 characters: the other bytes as they are, moved together; zeros above. No two marks
     * may be neighbours.
     *
     * <p>Pairs, then halves, then the word are closed up, because Java below 19 has no instruction
     * that does it (JDK-8283893).
     */
    public static long withoutSeconds(long word, long seconds) {
        long dropped = seconds >>> 7;
        long kept = word & ~((dropped << 8) - dropped);
        long first = dropped & LANE_ONE;
        long pairs = (first << 16) - first;
        long closed = kept & ~pairs | (kept & pairs) >>> 8;
        long shorter = (dropped | dropped >>> 8) & HALF_ONE;
        closed = closedHalves(closed, (shorter << 32) - shorter);
        int lost = Long.bitCount(dropped & LOW_HALF);
        return closed & LOW_HALF | closed >>> 32 << 32 - (lost << 3);
    }

    /** Moves the upper lane down by a byte in the halves of the mask. */
    static long closedHalves(long lanes, long halves) {
        long upper = lanes & ~LOW_LANES;
        return lanes & LOW_LANES | upper & ~halves | (upper & halves) >>> 8;
    }

    /**
     * Whether the first character that is not ASCII is above 0xFF, or would be if it were complete;
     * false also where that cannot be seen in this word.
     */
    public static boolean startsAboveLatin1(long word) {
        long rest = word >>> (Long.numberOfTrailingZeros(more(word)) & 0x38);
        return first(rest, Math.min(bitsOfFirst(more(rest)), MOST_BITS)) > 0xFF;
    }

    /**
     * Size of the first character in bytes, 4 where it has more than three. Branches that are
     * guessed right make nothing wait for the bytes.
     */
    public static int sizeOfFirst(int bytes) {
        return (bytes & 0x80) == 0
                ? 1
                : (bytes & 0x8000) == 0 ? 2 : (bytes & 0x800000) == 0 ? 3 : 4;
    }

    /** Bytes up to the n-th of the marked ones, which are at least n. */
    public static int sizeOf(long ends, int n) {
        long ascii = WideArrays.TOP_BITS >>> (8 - n << 3);
        if ((ends & ascii) == ascii) {
            return n;
        }
        long rest = ends;
        for (int i = 1; i < n; i++) {
            rest &= rest - 1;
        }
        return firstByte(rest) + 1;
    }

    /** Size of the first character; the lowest clear bit of {@link #more} ends it. */
    public static int bitsOfFirst(long more) {
        return Long.numberOfTrailingZeros(~more & WideArrays.TOP_BITS) + 1;
    }

    /** The first character, of a size that {@link #bitsOfFirst} gave, up to {@link #MOST_BITS}. */
    public static int first(long word, int bits) {
        return ofThreeBytes((int) word & -1 >>> -bits);
    }

    /** A character of up to three bytes, zeros above; cut to 16 bits as stock's cast does. */
    public static int ofThreeBytes(int bytes) {
        return (bytes & 0x7F) | (bytes >>> 1 & 0x3F80) | (bytes >>> 2 & 0xC000);
    }
}
