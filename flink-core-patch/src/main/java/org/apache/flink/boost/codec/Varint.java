// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** One number to base 128, low group first: the length field in front of a string's characters. */
public final class Varint {

    /** Most bytes that a writer writes. */
    public static final int MOST_BYTES = 5;

    private Varint() {}

    /** Bytes of a number. */
    public static int size(int value) {
        return value < 1 << 7
                ? 1
                : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : MOST_BYTES;
    }

    /** Writes a number; returns the position behind it. */
    public static int put(byte[] out, int position, int value) {
        if (value < 0x80) {
            // Of nearly all strings; a loop would be set up for it.
            out[position] = (byte) value;
            return position + 1;
        }
        int rest = value;
        int p = position;
        while (rest >= 0x80) {
            out[p++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        out[p++] = (byte) rest;
        return p;
    }

    /**
     * The number that a word begins with.
     *
     * @param available how many of the word's bytes are there
     * @return the number and its bytes, {@link Progress}; the number is 0 where it is not complete,
     *     negative, or longer than a writer writes it
     */
    public static long of(long word, int available) {
        int value = 0;
        long rest = word;
        for (int i = 0; i < MOST_BYTES && i < available; i++, rest >>>= 8) {
            int b = (byte) rest;
            value |= (b & 0x7F) << 7 * i;
            if (b >= 0) {
                return Progress.of(Math.max(value, 0), i + 1);
            }
        }
        return 0;
    }

    /**
     * A number of any size whose first byte has been read, as stock's loop understands it.
     *
     * @param copy is given each byte that is read here; may be null
     */
    public static int read(int first, DataInput in, DataOutput copy) throws IOException {
        int b = first;
        int value = b & 0x7F;
        for (int shift = 7; b >= 0x80; shift += 7) {
            b = in.readUnsignedByte();
            if (copy != null) {
                copy.writeByte(b);
            }
            value |= (b & 0x7F) << shift;
        }
        return value;
    }
}
