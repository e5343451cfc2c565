// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/**
 * Decodes characters that come in pieces: a character may begin in one piece and end in a later
 * one. Over-long characters are decoded as stock's loop does, whose shift wraps around.
 */
public final class StreamDecoder {

    private int value;
    private int shift;

    public StreamDecoder() {}

    /** Forgets a character that has begun. */
    public void reset() {
        shift = 0;
    }

    /** Whether no character has begun. */
    public boolean isBetween() {
        return shift == 0;
    }

    /**
     * Decodes all bytes of a piece.
     *
     * @param limit number of bytes, at most as many as there are characters missing
     * @param from number of characters that are there already
     * @param n number of characters in the end
     * @return number of complete characters now
     */
    public int decode(byte[] in, int limit, char[] chars, int from, int n) {
        int i = from;
        int p = 0;
        while (p < limit) {
            if (shift == 0) {
                long progress = VarintDecoder.decodeChars(in, p, limit, chars, i, n);
                i = Progress.characters(progress);
                p = Progress.bytes(progress);
                if (p == limit) {
                    break;
                }
            }
            // A character that ends in a later piece or is longer than a writer writes it.
            if (add(in[p++])) {
                chars[i++] = take();
            }
        }
        return i;
    }

    /** Adds one byte; whether it ends a character, which {@link #take} then gives. */
    private boolean add(int b) {
        value = shift == 0 ? b & 0x7F : value | (b & 0x7F) << shift;
        shift += 7;
        return (b & 0x80) == 0;
    }

    /** The character that has just ended. */
    private char take() {
        shift = 0;
        return (char) value;
    }
}
