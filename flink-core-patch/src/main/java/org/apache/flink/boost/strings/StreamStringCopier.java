// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.Varint;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.WideArrays;

/**
 * Copies encoded strings where the memory of one view or of both is not ours to see, in arrays of a
 * {@link Chunk}. What the source gives before it ends early has then been written, as in stock.
 */
final class StreamStringCopier {

    /** Below, characters are copied byte by byte, as stock does. */
    static final int BULK_FROM = 8;

    private StreamStringCopier() {}

    /**
     * Copies the next value.
     *
     * @return false when nothing was done and stock's body has to copy
     */
    static boolean copy(DataInput in, DataOutput out) throws IOException {
        int from = BulkTransfer.kindOf(in);
        int to = BulkTransfer.kindOf(out);
        if (from == BulkTransfer.BY_BYTE || to == BulkTransfer.BY_BYTE) {
            return false;
        }
        int b = in.readUnsignedByte();
        out.writeByte(b);
        int n = Varint.read(b, in, out) - 1;
        if (n < BULK_FROM) {
            copySingly(in, out, n);
            return true;
        }
        Chunk chunk = Chunk.take();
        try {
            for (int missing = n; missing > 0; ) {
                int size = BulkTransfer.take(in, from, chunk, 0, Math.min(missing, Chunk.SIZE));
                // Counted first: an output may change the array, to encrypt what it was given.
                missing -= ends(chunk.bytes, size);
                BulkTransfer.put(out, to, chunk.bytes, size);
            }
        } finally {
            chunk.release();
        }
        return true;
    }

    private static void copySingly(DataInput in, DataOutput out, int n) throws IOException {
        for (int i = 0; i < n; i++) {
            int b;
            do {
                b = in.readUnsignedByte();
                out.writeByte(b);
            } while (b >= 0x80);
        }
    }

    /** Number of characters that end in the first so many bytes. */
    private static int ends(byte[] bytes, int size) {
        int count = 0;
        int p = 0;
        for (; p <= size - 8; p += 8) {
            count += Long.bitCount(Words.more(~WideArrays.getLong(bytes, p)));
        }
        for (; p < size; p++) {
            count += ~bytes[p] >>> 31;
        }
        return count;
    }
}
