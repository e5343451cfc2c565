// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/**
 * Up to four characters of UTF-16 in the lanes of a {@code long}, the first one lowest and zeros
 * above: which sizes they have encoded, and which bytes they become. {@link Words} is the way back.
 * No memory is touched here.
 *
 * <p>A character below 0x80 is one byte, below 0x4000 two, else three: seven bits in each, the
 * lowest ones first, and the top bit where another byte follows.
 */
public final class CharWords {

    /** Bytes of the longest character. */
    static final int MOST_BYTES = 3;

    static final long LANE_HIGH_7 = 0x7F007F007F007F00L;
    static final long LANE_BITS_14_TO_15 = 0xC000C000C000C000L;
    static final long LANE_TOP = 0x8000800080008000L;
    static final long HALF_MORE = 0x0000808000008080L;

    /** Added to bits 7 to 13 of a lane, it carries into the top bit unless they are zero. */
    static final long LANE_CARRY = 0x7F807F807F807F80L;

    private CharWords() {}

    /** Bytes of one character. */
    public static int size(int c) {
        return 1 + two(c) + three(c);
    }

    /** 1 for a character of two bytes or more. */
    static int two(int c) {
        return (0x7F - c) >>> 31;
    }

    /** 1 for a character of three bytes. */
    static int three(int c) {
        return (0x3FFF - c) >>> 31;
    }

    /**
     * One character, encoded.
     *
     * @param two {@link #two} of it
     * @param three {@link #three} of it
     */
    static int ofChar(int c, int two, int three) {
        return (c & 0x7F) | two << 7 | (c << 1 & 0x7F00) | three << 15 | (c << 2 & 0x30000);
    }

    /** Whether four characters have two bytes each. */
    static boolean areOfTwoBytes(long chars) {
        return (chars & LANE_BITS_14_TO_15) == 0 && aboveAscii(chars) == LANE_TOP;
    }

    /** Whether four characters have three bytes each. */
    static boolean areOfThreeBytes(long chars) {
        return ofThree(chars) == LANE_TOP;
    }

    /** Whether up to four characters have at most two bytes each. */
    static boolean areOfOneOrTwoBytes(long chars) {
        return (chars & LANE_BITS_14_TO_15) == 0;
    }

    /** Bytes that up to four characters have beyond one for each. */
    static int furtherBytes(long chars) {
        long three = ofThree(chars);
        return Long.bitCount(three | aboveAscii(chars)) + Long.bitCount(three);
    }

    /** The top bit of each lane with one of bits 14 and 15. */
    private static long ofThree(long chars) {
        return (chars | chars << 1) & LANE_TOP;
    }

    /** The top bit of each lane with one of bits 7 to 13. */
    private static long aboveAscii(long chars) {
        return (chars & Words.LANE_BITS_7_TO_13) + LANE_CARRY & LANE_TOP;
    }

    /** {@link Words#TWO_BYTES} for each of four characters below 0x4000 that is not ASCII. */
    static long twoBytes(long chars) {
        return aboveAscii(chars) >>> 8;
    }

    /**
     * Four characters below 0x4000, encoded in 4 + {@code bitCount(two)} bytes.
     *
     * @param two {@link #twoBytes} of them
     */
    static long ofTwoBytes(long chars, long two) {
        return closed(lanesOfTwoBytes(chars, two), two);
    }

    /** The same, a lane for each. */
    static long lanesOfTwoBytes(long chars, long two) {
        return chars & Words.LANE_LOW_7 | two | chars << 1 & LANE_HIGH_7;
    }

    /** Two characters from 0x4000 on, in the low half, encoded in six bytes. */
    static long threeBytesOfTwo(long chars) {
        long halves = (chars & 0xFFFFL) | (chars & 0xFFFF0000L) << 16;
        long bytes =
                (halves & Words.HALF_LOW_7)
                        | (halves << 1 & Words.HALF_BITS_7_TO_13 << 1)
                        | (halves << 2 & Words.HALF_BITS_14_TO_15 << 2)
                        | HALF_MORE;
        return (bytes & Words.HALF_LOW_24) | (bytes >>> 8 & Words.UPPER_THREE_BYTES);
    }

    /**
     * Four Latin-1 characters encoded, in 4 + {@code bitCount(chars & 0x80808080)} bytes: a letter
     * of 0x80 to 0xFF is that byte and a 1.
     */
    static long ofLatin1(int chars) {
        long lanes = Words.widened(chars & Words.LOW_HALF);
        long two = lanes & Words.TWO_BYTES;
        return closed(lanes | two << 1, two);
    }

    /** Four lanes of one or two bytes, zeros above, moved together. */
    private static long closed(long lanes, long two) {
        long shorter = ~two >>> 7 & Words.HALF_ONE;
        long closed = Words.closedHalves(lanes, (shorter << 32) - shorter);
        int low = 2 + Long.bitCount(two & Words.LOW_HALF);
        return closed & Words.LOW_HALF | closed >>> 32 << (low << 3);
    }
}
