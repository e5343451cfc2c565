// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/**
 * How far a raw loop came, on both sides, in one {@code long}: no allocation, no fields. A loop
 * that returns where it ended returns one of the negative values where it is not to go on.
 */
public final class Progress {

    /** A complete character above 0xFF comes: the text is for the loops of UTF-16. */
    public static final int ABOVE_LATIN1 = -1;

    /** What comes is cut off, or not what a writer writes: only stock's body judges it. */
    public static final int FOR_STOCK = -2;

    private Progress() {}

    /** Both indices are 0 or more. */
    public static long of(int characters, int bytes) {
        return (long) characters << 32 | bytes;
    }

    /** Index on the side of the characters. */
    public static int characters(long progress) {
        return (int) (progress >>> 32);
    }

    /** Index on the side of the encoded bytes. */
    public static int bytes(long progress) {
        return (int) progress;
    }
}
