// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

/**
 * Encoded characters in a {@code long} of eight bytes, the first byte lowest: which sizes they
 * have, and what they are. No memory is touched here.
 */
final class Words {

    /** {@link #more} of four characters of two bytes. */
    static final long TWO_BYTES = 0x0080008000800080L;

    /** {@link #more} of two characters of three bytes, in the low {@link #SIX_BYTES}. */
    static final long THREE_BYTES = 0x0000008080008080L;

    /** Mask of the low six bytes. */
    static final long SIX_BYTES = 0x0000FFFFFFFFFFFFL;

    /** Longest character that a writer writes. */
    static final int MOST_BITS = 24;

    /** The two bytes of U+00FF; Latin-1 letters are those of 0x80 to 0xFF in the first and 1. */
    static final int LAST_LATIN1 = 0x01FF;

    private static final long MORE = 0x8080808080808080L;
    private static final long LANE_LOW_7 = 0x007F007F007F007FL;
    private static final long LANE_BITS_7_TO_13 = 0x3F803F803F803F80L;

    private Words() {}

    /** The top bit of each byte: another byte of the same character follows. */
    static long more(long word) {
        return word & MORE;
    }

    /** Four characters of two bytes as UTF-16. */
    static long fourOfTwoBytes(long word) {
        return (word & LANE_LOW_7) | (word >>> 1 & LANE_BITS_7_TO_13);
    }

    /** Two characters of three bytes as UTF-16. */
    static int twoOfThreeBytes(long word) {
        return ofThreeBytes((int) word) | ofThreeBytes((int) (word >>> 24)) << 16;
    }

    /** Four ASCII characters, in the low four bytes, as UTF-16. */
    static long widened(long word) {
        long pairs = (word & 0xFFFFL) | (word & 0xFFFF0000L) << 16;
        return (pairs | pairs << 8) & 0x00FF00FF00FF00FFL;
    }

    /** Number of ASCII characters in front of the first other one, 0 to 8. */
    static int asciiBytes(long more) {
        return Long.numberOfTrailingZeros(more) >>> 3;
    }

    /** Size of the first character; the lowest clear bit of {@link #more} ends it. */
    static int bitsOfFirst(long more) {
        return Long.numberOfTrailingZeros(~more & MORE) + 1;
    }

    /** The first character, of a size that {@link #bitsOfFirst} gave, up to {@link #MOST_BITS}. */
    static int first(long word, int bits) {
        return ofThreeBytes((int) word & -1 >>> -bits);
    }

    /** A character of up to three bytes, zeros above; cut to 16 bits as stock's cast does. */
    static int ofThreeBytes(int bytes) {
        return (bytes & 0x7F) | (bytes >>> 1 & 0x3F80) | (bytes >>> 2 & 0xC000);
    }
}
