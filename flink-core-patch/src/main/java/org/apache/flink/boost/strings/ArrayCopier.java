// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.ValueEnd;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.Positioned;

// @twin SegmentCopier: `byte[] in` is `org.apache.flink.core.memory.MemorySegment in`,
//     `Positioned view` is `org.apache.flink.boost.woven.SegmentInput view`

/**
 * Copies an encoded string out of memory, as it is. {@code position} is below {@code limit}, the
 * index behind the last byte. False means that nothing was done and stock's body has to copy.
 */
final class ArrayCopier {

    private ArrayCopier() {}

    /** Into an array of ours. */
    static boolean copy(
            Positioned view, byte[] in, int position, int limit, DataOutputSerializerMemory out) {
        int target = out.boostPosition();
        if (target < 0) {
            return false;
        }
        int size = copyShort(in, position, limit, out.boostBuffer(), target);
        if (size == 0) {
            size = ValueEnd.of(in, position, limit) - position;
            if (size < 0 || !StringWriter.makeRoom(out, size)) {
                return false;
            }
            move(in, position, out.boostBuffer(), target, size);
        }
        out.boostPosition(target + size);
        view.boostPosition(position + size);
        return true;
    }

    /** To an output of any class. */
    static boolean copy(Positioned view, byte[] in, int position, int limit, DataOutput out)
            throws IOException {
        int behind = ValueEnd.of(in, position, limit);
        int kind =
                behind - position < StreamStringCopier.BULK_FROM
                        ? BulkTransfer.BY_BYTE
                        : BulkTransfer.kindOf(out);
        if (kind == BulkTransfer.BY_BYTE) {
            return false;
        }
        Chunk chunk = Chunk.take();
        try {
            for (int p = position; p < behind; ) {
                int size = Math.min(behind - p, Chunk.SIZE);
                Bytes.copy(in, p, chunk.bytes, 0, size);
                p += size;
                view.boostPosition(p);
                BulkTransfer.put(out, kind, chunk.bytes, size);
            }
        } finally {
            chunk.release();
        }
        return true;
    }

    /**
     * Copies a short value by words while its end is searched. Where it turns out not to be
     * complete, stock's body writes these bytes again before it fails.
     *
     * @return size of the value, or 0 where it is not a short one, not complete, or too near to an
     *     end for words
     */
    private static int copyShort(byte[] in, int position, int limit, byte[] to, int target) {
        int left = limit - position;
        if (left < 4 || to.length - target < 4) {
            return 0;
        }
        int head = Bytes.intAt(in, position);
        if ((byte) head == 2) {
            int size = StringCopier.copyOne(head, to, target);
            if (size > 0) {
                return size;
            }
        }
        int missing = StringCopier.endsOfShort((byte) head);
        if (missing == 0) {
            return 0;
        }
        long before = 0;
        for (int i = 0; i <= left - 8 && i <= to.length - target - 8; i += 8) {
            long word = Bytes.longAt(in, position + i);
            long ends = Words.more(~word);
            int count = Long.bitCount(ends);
            if (count >= missing) {
                int size = Words.sizeOf(ends, missing);
                StringCopier.putLast(before, word, i, size, to, target);
                return i + size;
            }
            WideArrays.putLong(to, target + i, word);
            before = word;
            missing -= count;
        }
        return 0;
    }

    private static void move(byte[] in, int position, byte[] to, int target, int size) {
        if (size >= StringCopier.BULK_FROM) {
            Bytes.copy(in, position, to, target, size);
        } else if (size >= 8) {
            for (int i = 0; i <= size - 8; i += 8) {
                WideArrays.putLong(to, target + i, Bytes.longAt(in, position + i));
            }
            int last = size - 8;
            WideArrays.putLong(to, target + last, Bytes.longAt(in, position + last));
        } else {
            for (int i = 0; i < size; i++) {
                to[target + i] = Bytes.byteAt(in, position + i);
            }
        }
    }
}
