// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import java.io.DataInput;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.types.StringValue;

/**
 * Reads strings from views whose memory we do not see, in arrays of a {@link Chunk}.
 *
 * <p>As many bytes as characters are missing are part of the value in any case, so a view is never
 * read past the value. Where it ends early, it ends with its own exception for a single byte, and
 * memory has been allocated only in step with the bytes that came ({@link LongText}).
 */
final class StreamStringReader {

    /** Fewer characters are read byte by byte, as stock does. */
    private static final int BULK = 8;

    private StreamStringReader() {}

    /** The next string, null where null was written, or {@link StringReader#STOCK}. */
    static String read(DataInput in) throws IOException {
        int kind = BulkTransfer.kindOf(in);
        if (kind == BulkTransfer.BY_BYTE) {
            return StringReader.STOCK;
        }
        int first = in.readUnsignedByte();
        if (first == 0) {
            return null;
        }
        int field = length(in, first);
        if (field <= 1) {
            return field == 1 ? "" : refuse(field);
        }
        int n = field - 1;
        Chunk chunk = Chunk.take();
        try {
            chunk.decoder.reset();
            return n < BULK
                    ? readShort(in, chunk, n)
                    : n <= Chunk.SIZE
                            ? read(in, kind, chunk, n)
                            : StringAccess.OPENED
                                    ? readLong(in, kind, chunk, n)
                                    : readLongChars(in, kind, chunk, n);
        } finally {
            chunk.release();
        }
    }

    /**
     * Reads into a {@code StringValue}: plain length field, and its array is reused. Where the view
     * ends early the fields are what stock leaves, but for the size of an array of more than {@link
     * LongText#AT_ONCE} characters.
     *
     * @return false when nothing was done and stock's body has to read
     */
    static boolean read(StringValueFields value, DataInput in) throws IOException {
        int kind = BulkTransfer.kindOf(in);
        if (kind == BulkTransfer.BY_BYTE || value.boostChars() == null) {
            return false;
        }
        int n = length(in, in.readUnsignedByte());
        value.boostLength(n);
        value.boostHashCode(0);
        if (n <= 0) {
            return true;
        }
        Chunk chunk = Chunk.take();
        try {
            chunk.decoder.reset();
            char[] chars = value.boostChars();
            for (int i = 0; i < n; ) {
                if (chars.length < n && (n <= LongText.AT_ONCE || chars.length - i < Chunk.SIZE)) {
                    chars = LongText.grown(chars, i, n);
                    value.boostChars(chars);
                }
                int size = BulkTransfer.take(in, kind, chunk, Math.min(n - i, Chunk.SIZE));
                i = chunk.decoder.decode(chunk.bytes, size, chars, i, n);
            }
            return true;
        } finally {
            chunk.release();
        }
    }

    private static String readShort(DataInput in, Chunk chunk, int n) throws IOException {
        for (int i = 0; i < n; i++) {
            int b = in.readUnsignedByte();
            chunk.chars[i] = b < 0x80 ? (char) b : readRest(in, chunk.decoder, b);
        }
        return new String(chunk.chars, 0, n);
    }

    private static String read(DataInput in, int kind, Chunk chunk, int n) throws IOException {
        for (int i = 0; i < n; ) {
            int size = BulkTransfer.take(in, kind, chunk, n - i);
            if (size == n && StringAccess.isAscii(chunk.bytes, 0, n)) {
                return ascii(chunk.bytes, n);
            }
            i = chunk.decoder.decode(chunk.bytes, size, chunk.chars, i, n);
        }
        return new String(chunk.chars, 0, n);
    }

    private static String readLong(DataInput in, int kind, Chunk chunk, int n) throws IOException {
        LongText text = null;
        int missing = n;
        while (missing > 0) {
            int size = BulkTransfer.take(in, kind, chunk, Math.min(missing, Chunk.SIZE));
            if (text == null) {
                text = new LongText(n);
            }
            if (chunk.decoder.isBetween() && StringAccess.isAscii(chunk.bytes, 0, size)) {
                text.addAscii(chunk.bytes, size);
            } else {
                text.add(
                        chunk.chars, chunk.decoder.decode(chunk.bytes, size, chunk.chars, 0, size));
            }
            missing = n - text.count();
        }
        return text.build();
    }

    /** Without a look into strings, and with no object but stock's array and string. */
    private static String readLongChars(DataInput in, int kind, Chunk chunk, int n)
            throws IOException {
        char[] chars = null;
        for (int i = 0; i < n; ) {
            int size = BulkTransfer.take(in, kind, chunk, Math.min(n - i, Chunk.SIZE));
            if (chars == null) {
                chars = LongText.begun(n);
            } else if (chars.length - i < size) {
                chars = LongText.grown(chars, i, n);
            }
            i = chunk.decoder.decode(chunk.bytes, size, chars, i, n);
        }
        return new String(chars, 0, n);
    }

    /** The rest of a character of more than one byte. */
    private static char readRest(DataInput in, StreamDecoder decoder, int first)
            throws IOException {
        boolean complete = decoder.add(first);
        while (!complete) {
            complete = decoder.add(in.readUnsignedByte());
        }
        return decoder.take();
    }

    /** The length field, whatever its size, as stock's loop understands it. */
    private static int length(DataInput in, int first) throws IOException {
        int b = first;
        int value = b & 0x7F;
        for (int shift = 7; b >= 0x80; shift += 7) {
            b = in.readUnsignedByte();
            value |= (b & 0x7F) << shift;
        }
        return value;
    }

    /** What stock does on that length field, 0 or negative, which differs by line. */
    private static String refuse(int field) throws IOException {
        byte[] bytes = new byte[5];
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (field >>> 7 * i | 0x80);
        }
        bytes[4] = (byte) (field >>> 28);
        return StringValue.readString(new DataInputDeserializer(bytes));
    }

    /** With a high byte of 0 this constructor copies Latin-1 and decodes nothing. */
    @SuppressWarnings("deprecation")
    private static String ascii(byte[] bytes, int n) {
        return new String(bytes, 0, 0, n);
    }
}
