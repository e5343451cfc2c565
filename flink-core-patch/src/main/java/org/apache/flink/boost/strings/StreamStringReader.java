// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.codec.Varint;
import org.apache.flink.boost.jdk.ShortestStrings;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.types.StringValue;

/**
 * Reads strings from views whose memory we do not see, in arrays of a {@link Chunk}.
 *
 * <p>As many bytes as characters are missing are part of the value in any case, so a view is never
 * read past the value. Where it ends early, it ends with its own exception for a single byte, and
 * memory has been allocated only in step with the bytes that came ({@link LongText}).
 */
public final class StreamStringReader {

    /** Below, characters are read byte by byte, as stock does; their ASCII fits into a word. */
    private static final int BULK_FROM = 8;

    /**
     * Below, they are read byte by byte if the first one is not ASCII: a read in bulk of text of
     * two bytes brings half of it, the next a quarter, and so on.
     */
    private static final int BULK_OF_TEXT_FROM = 32;

    private StreamStringReader() {}

    /** The next string, null where null was written, or {@link StringReader#STOCK}. */
    public static String read(DataInput in) throws IOException {
        int kind = BulkTransfer.kindOf(in);
        if (kind == BulkTransfer.BY_BYTE) {
            return StringReader.STOCK;
        }
        int first = in.readUnsignedByte();
        if (first == 0) {
            return null;
        }
        int field = Varint.read(first, in, null);
        if (field <= 1) {
            return field == 1 ? ShortestStrings.empty() : refuse(field);
        }
        int n = field - 1;
        if (n < BULK_FROM) {
            return readShort(in, n);
        }
        Chunk chunk = Chunk.take();
        try {
            chunk.decoder.reset();
            return n <= Chunk.SIZE
                    ? read(in, kind, chunk, n)
                    : StringAccess.OPENED
                            ? readLong(in, kind, chunk, n)
                            : readLongChars(in, kind, chunk, n);
        } finally {
            chunk.release();
        }
    }

    private static String readShort(DataInput in, int n) throws IOException {
        long word = 0;
        for (int i = 0; i < n; i++) {
            int b = in.readUnsignedByte();
            if (b >= 0x80) {
                return n == 1 ? ShortestStrings.of(readRest(in, b)) : readShort(in, word, i, b, n);
            }
            word |= (long) b << (i << 3);
        }
        if (StringAccess.OPENED || n == 1) {
            return AsciiReader.ofWord(word, n);
        }
        Chunk chunk = Chunk.take();
        try {
            putWord(word, n, chunk.chars);
            return new String(chunk.chars, 0, n);
        } finally {
            chunk.release();
        }
    }

    /** The same from the first character that is not ASCII on. */
    private static String readShort(DataInput in, long ascii, int from, int first, int n)
            throws IOException {
        Chunk chunk = Chunk.take();
        try {
            putWord(ascii, from, chunk.chars);
            return readSingly(in, chunk, from, first, n);
        } finally {
            chunk.release();
        }
    }

    private static void putWord(long ascii, int n, char[] chars) {
        long rest = ascii;
        for (int i = 0; i < n; i++, rest >>>= 8) {
            chars[i] = (char) (rest & 0x7F);
        }
    }

    /**
     * Byte by byte from a character on.
     *
     * @param from number of characters that are there already
     * @param first first byte of the next one
     */
    private static String readSingly(DataInput in, Chunk chunk, int from, int first, int n)
            throws IOException {
        char[] chars = chunk.chars;
        chars[from] = first < 0x80 ? (char) first : readRest(in, first);
        for (int i = from + 1; i < n; i++) {
            int b = in.readUnsignedByte();
            chars[i] = b < 0x80 ? (char) b : readRest(in, b);
        }
        return new String(chars, 0, n);
    }

    private static String read(DataInput in, int kind, Chunk chunk, int n) throws IOException {
        int first = in.readUnsignedByte();
        if (first >= 0x80 && n < BULK_OF_TEXT_FROM) {
            return readSingly(in, chunk, 0, first, n);
        }
        chunk.bytes[0] = (byte) first;
        int size = 1 + BulkTransfer.take(in, kind, chunk, 1, n - 1);
        if (size == n && StringAccess.isAscii(chunk.bytes, 0, n)) {
            return AsciiReader.ofBytes(chunk.bytes, 0, n);
        }
        int i = chunk.decoder.decode(chunk.bytes, size, chunk.chars, 0, n);
        while (n - i >= BULK_FROM || !chunk.decoder.isBetween()) {
            size = BulkTransfer.take(in, kind, chunk, 0, n - i);
            i = chunk.decoder.decode(chunk.bytes, size, chunk.chars, i, n);
        }
        return i == n
                ? new String(chunk.chars, 0, n)
                : readSingly(in, chunk, i, endOrByte(in, chunk), n);
    }

    private static String readLong(DataInput in, int kind, Chunk chunk, int n) throws IOException {
        LongText text = null;
        int missing = n;
        while (missing > 0) {
            int size = BulkTransfer.take(in, kind, chunk, 0, Math.min(missing, Chunk.SIZE));
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
            int size = BulkTransfer.take(in, kind, chunk, 0, Math.min(n - i, Chunk.SIZE));
            if (chars == null) {
                chars = LongText.begun(n);
            } else if (chars.length - i < size) {
                chars = LongText.grown(chars, i, n);
            }
            i = chunk.decoder.decode(chunk.bytes, size, chars, i, n);
        }
        return new String(chars, 0, n);
    }

    /** The next byte, unless the view has shown that there is none. */
    private static int endOrByte(DataInput in, Chunk chunk) throws IOException {
        if (chunk.ended) {
            throw new EOFException();
        }
        return in.readUnsignedByte();
    }

    /** A character of any size. */
    private static char readRest(DataInput in, int first) throws IOException {
        return (char) Varint.read(first, in, null);
    }

    /** What stock does on that length field, 0 or negative, which differs by line. */
    private static String refuse(int field) throws IOException {
        byte[] bytes = new byte[Varint.MOST_BYTES];
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (field >>> 7 * i | 0x80);
        }
        bytes[4] = (byte) (field >>> 28);
        return StringValue.readString(new DataInputDeserializer(bytes));
    }
}
