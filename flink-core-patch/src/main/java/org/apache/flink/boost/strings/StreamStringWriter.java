// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.CharArrays;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.Varint;
import org.apache.flink.boost.codec.VarintEncoder;
import org.apache.flink.boost.jdk.StringAccess;

/**
 * Writes strings to views whose memory we do not see, in arrays of a {@link Chunk}; a string's own
 * array is never handed to a view.
 */
public final class StreamStringWriter {

    /** Below, characters are written byte by byte, as stock does. */
    private static final int BULK_FROM = 8;

    private StreamStringWriter() {}

    /**
     * Writes length field and characters.
     *
     * @return false when nothing was done and stock's body has to write the string
     */
    public static boolean write(String string, DataOutput out) throws IOException {
        int n = string.length();
        if (n < BULK_FROM || n == Integer.MAX_VALUE) {
            return false;
        }
        int kind = BulkTransfer.kindOf(out);
        if (kind == BulkTransfer.BY_BYTE) {
            return false;
        }
        Chunk chunk = Chunk.take();
        try {
            int p = Varint.put(chunk.bytes, 0, n + 1);
            if (!StringAccess.OPENED) {
                writePlain(string, out, kind, chunk, p);
            } else if (StringAccess.coder(string) == StringAccess.LATIN1) {
                writeLatin1(StringAccess.value(string), out, kind, chunk.bytes, p);
            } else {
                writeUtf16(StringAccess.value(string), out, kind, chunk.bytes, p);
            }
            return true;
        } finally {
            chunk.release();
        }
    }

    private static void writeLatin1(
            byte[] value, DataOutput out, int kind, byte[] bytes, int position) throws IOException {
        int p = position;
        for (int i = 0; i < value.length; ) {
            int size = Math.min(value.length - i, bytes.length - p);
            if (StringAccess.isAscii(value, i, size)) {
                System.arraycopy(value, i, bytes, p, size);
                i += size;
                p += size;
            } else {
                long progress = VarintEncoder.encodeLatin1(value, i, bytes, p);
                i = Progress.characters(progress);
                p = Progress.bytes(progress);
            }
            BulkTransfer.put(out, kind, bytes, p);
            p = 0;
        }
    }

    private static void writeUtf16(
            byte[] value, DataOutput out, int kind, byte[] bytes, int position) throws IOException {
        int p = position;
        for (int i = 0; i < value.length; ) {
            long progress = VarintEncoder.encodeUtf16(value, i, bytes, p);
            i = Progress.characters(progress);
            BulkTransfer.put(out, kind, bytes, Progress.bytes(progress));
            p = 0;
        }
    }

    /** Without a look into the string: its characters, a chunk at a time. */
    private static void writePlain(
            String string, DataOutput out, int kind, Chunk chunk, int position) throws IOException {
        int n = string.length();
        int p = position;
        for (int i = 0; i < n; i += Chunk.SIZE) {
            int size = Math.min(n - i, Chunk.SIZE);
            string.getChars(i, i + size, chunk.chars, 0);
            p = writeChars(chunk.chars, size, out, kind, chunk.bytes, p);
        }
        BulkTransfer.put(out, kind, chunk.bytes, p);
    }

    /** Writes all but the bytes that are in the chunk in the end; returns how many those are. */
    private static int writeChars(
            char[] chars, int n, DataOutput out, int kind, byte[] bytes, int position)
            throws IOException {
        int p = position;
        for (int i = 0; ; ) {
            long progress = CharArrays.encode(chars, i, n, bytes, p);
            i = Progress.characters(progress);
            p = Progress.bytes(progress);
            if (i == n) {
                return p;
            }
            BulkTransfer.put(out, kind, bytes, p);
            p = 0;
        }
    }
}
