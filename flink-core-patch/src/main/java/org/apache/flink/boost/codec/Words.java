// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/**
 * Encoded characters in a {@code long} of eight bytes, the first byte lowest: which sizes they
 * have, and what they are. No memory is touched here.
 */
public final class Words {

    /** {@link #more} of four characters of two bytes. */
    public static final long TWO_BYTES = 0x0080008000800080L;

    /** {@link #more} of two characters of three bytes, in the low {@link #SIX_BYTES}. */
    public static final long THREE_BYTES = 0x0000008080008080L;

    /** Mask of the low six bytes. */
    public static final long SIX_BYTES = 0x0000FFFFFFFFFFFFL;

    /** Longest character that a writer writes. */
    public static final int MOST_BITS = 24;

    private static final long MORE = 0x8080808080808080L;

    /** Per 16-bit lane: its lowest bit. */
    private static final long LANE_ONE = 0x0001000100010001L;

    /** The low 16-bit lane of each half. */
    private static final long LOW_LANES = 0x0000FFFF0000FFFFL;

    private static final long HALF_LOW_7 = 0x0000007F0000007FL;
    private static final long HALF_BITS_7_TO_13 = 0x00003F8000003F80L;
    private static final long HALF_BITS_14_TO_15 = 0x0000C0000000C000L;
    private static final long HALF_MORE = 0x0000808000008080L;
    private static final long HALF_LOW_24 = 0x0000000000FFFFFFL;
    private static final long UPPER_THREE_BYTES = 0x0000FFFFFF000000L;
    private static final long HALF_ONE = 0x0000000100000001L;
    private static final long LOW_HALF = 0x00000000FFFFFFFFL;
    private static final long LANE_LOW_7 = 0x007F007F007F007FL;
    private static final long LANE_HIGH_7 = 0x7F007F007F007F00L;
    private static final long LANE_BITS_7_TO_13 = 0x3F803F803F803F80L;

    private Words() {}

    /** The top bit of each byte: another byte of the same character follows. */
    public static long more(long word) {
        return word & MORE;
    }

    /** Whether the first characters, up to four, have two bytes each. */
    public static boolean areTwoBytes(long more, int n) {
        return lowBytes(more ^ TWO_BYTES, n << 1) == 0;
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
        return ((first ^ THREE_BYTES | second ^ THREE_BYTES) & SIX_BYTES & MORE) == 0;
    }

    /** Two characters from 0x4000 on, in the low half, encoded in six bytes. */
    public static long threeBytesOfTwo(long chars) {
        long halves = (chars & 0xFFFFL) | (chars & 0xFFFF0000L) << 16;
        long bytes =
                (halves & HALF_LOW_7)
                        | (halves << 1 & HALF_BITS_7_TO_13 << 1)
                        | (halves << 2 & HALF_BITS_14_TO_15 << 2)
                        | HALF_MORE;
        return (bytes & HALF_LOW_24) | (bytes >>> 8 & UPPER_THREE_BYTES);
    }

    /** Four ASCII characters, in the low four bytes, as UTF-16. */
    public static long widened(long word) {
        long pairs = (word & 0xFFFFL) | (word & 0xFFFF0000L) << 16;
        return (pairs | pairs << 8) & 0x00FF00FF00FF00FFL;
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
        return n + (int) (carried >>> 7) + Long.bitCount(chars & MORE);
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

    /** Four Latin-1 characters encoded, in 4 + {@code bitCount(chars & 0x80808080)} bytes. */
    public static long ofLatin1(int chars) {
        long lanes = widened(chars & LOW_HALF);
        long two = lanes & TWO_BYTES;
        return closed(lanes | two << 1, two);
    }

    /**
     * Four characters below 0x4000, UTF-16, encoded in 4 + {@code bitCount(two)} bytes.
     *
     * @param two {@link #TWO_BYTES} for each character from 0x80 on
     */
    public static long ofTwoBytes(long chars, long two) {
        return closed(chars & LANE_LOW_7 | two | chars << 1 & LANE_HIGH_7, two);
    }

    /** Four lanes of one or two bytes, zeros above, moved together. */
    private static long closed(long lanes, long two) {
        long shorter = ~two >>> 7 & HALF_ONE;
        long closed = closedHalves(lanes, (shorter << 32) - shorter);
        int low = 2 + Long.bitCount(two & LOW_HALF);
        return closed & LOW_HALF | closed >>> 32 << (low << 3);
    }

    /** Moves the upper lane down by a byte in the halves of the mask. */
    private static long closedHalves(long lanes, long halves) {
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

    /** Size of the first character; the lowest clear bit of {@link #more} ends it. */
    public static int bitsOfFirst(long more) {
        return Long.numberOfTrailingZeros(~more & MORE) + 1;
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
