// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.ValueEnd;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Copies encoded strings where the memory of one view or of both is not ours to see, in arrays of a
 * {@link Chunk}. What the source gives before it ends early has then been written, as in stock.
 */
final class StreamStringCopier {

    /** Fewer characters are copied byte by byte, as stock does. */
    private static final int BULK = 8;

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
        int field = b & 0x7F;
        for (int shift = 7; b >= 0x80; shift += 7) {
            b = in.readUnsignedByte();
            out.writeByte(b);
            field |= (b & 0x7F) << shift;
        }
        int n = field - 1;
        if (n < BULK) {
            copySingly(in, out, n);
            return true;
        }
        Chunk chunk = Chunk.take();
        try {
            for (int missing = n; missing > 0; ) {
                int size = BulkTransfer.take(in, from, chunk, 0, Math.min(missing, Chunk.SIZE));
                // Counted first: an output may change the array, to encrypt what it was given.
                missing -= ValueEnd.count(chunk.bytes, size);
                BulkTransfer.put(out, to, chunk.bytes, size);
            }
        } finally {
            chunk.release();
        }
        return true;
    }

    /** From an array of ours to an output of any class; parameters and result as above. */
    static boolean copy(DataInputDeserializerMemory in, DataOutput out) throws IOException {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        int end = in.boostEnd();
        if (buffer == null || position < 0 || position >= end) {
            return false;
        }
        int behind = StringCopier.endOfValue(buffer, position, end);
        int kind = behind - position < BULK ? BulkTransfer.BY_BYTE : BulkTransfer.kindOf(out);
        if (kind == BulkTransfer.BY_BYTE) {
            return false;
        }
        Chunk chunk = Chunk.take();
        try {
            for (int p = position; p < behind; ) {
                int size = Math.min(behind - p, Chunk.SIZE);
                System.arraycopy(buffer, p, chunk.bytes, 0, size);
                p += size;
                in.boostPosition(p);
                BulkTransfer.put(out, kind, chunk.bytes, size);
            }
        } finally {
            chunk.release();
        }
        return true;
    }

    /** From a segment of ours to an output of any class; parameters and result as above. */
    static boolean copy(SegmentInput in, DataOutput out) throws IOException {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        if (segment == null || segment.isFreed() || position < 0 || position >= segment.size()) {
            return false;
        }
        int behind = StringCopier.endOfValue(segment, position);
        int kind = behind - position < BULK ? BulkTransfer.BY_BYTE : BulkTransfer.kindOf(out);
        if (kind == BulkTransfer.BY_BYTE) {
            return false;
        }
        Chunk chunk = Chunk.take();
        try {
            for (int p = position; p < behind; ) {
                int size = Math.min(behind - p, Chunk.SIZE);
                segment.get(p, chunk.bytes, 0, size);
                p += size;
                in.boostPosition(p);
                BulkTransfer.put(out, kind, chunk.bytes, size);
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
}
