// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.apache.flink.boost.woven.SpanningRecordSerializerPatch.LENGTH;

import java.nio.ByteBuffer;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.BufferBuilderMemory;
import org.apache.flink.boost.woven.BufferBuilderMemory.PositionMemory;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;

/** {@code BufferBuilder.appendAndCommit} for bytes behind which there is still room. */
public final class BufferAppend {

    private BufferAppend() {}

    /** Whether this is a record of eight bytes behind its length, of which nothing is copied. */
    public static boolean isOneLong(ByteBuffer source) {
        return source.position() == 0 && source.limit() == LENGTH + Long.BYTES;
    }

    /**
     * Appends all remaining bytes and makes them visible, if there is room for one more.
     *
     * @return false when nothing has been done: the buffer is finished or would be full, or the
     *     source has no array
     */
    public static boolean leavesRoom(BufferBuilder buffer, ByteBuffer source, PositionStore store) {
        BufferBuilderMemory fields = (BufferBuilderMemory) buffer;
        PositionMemory written = (PositionMemory) fields.boostPosition();
        int position = written.boostWritten();
        int length = source.remaining();
        if (position < 0 || length >= buffer.getMaxCapacity() - position || !source.hasArray()) {
            return false;
        }
        int from = source.position();
        int start = source.arrayOffset() + from;
        if (isOneLong(source)) {
            putOneLong(fields.boostSegment(), position, source.array(), start);
        } else {
            fields.boostSegment().put(position, source.array(), start, length);
        }
        source.position(from + length);
        written.boostWritten(position + length);
        store.show(written, position + length);
        return true;
    }

    /**
     * Puts the length and the eight bytes apart, as most such records have been written: a load
     * waits for the cache unless a single store has written all that it takes.
     */
    private static void putOneLong(MemorySegment target, int position, byte[] array, int start) {
        target.putIntBigEndian(position, Long.BYTES);
        target.putLongLittleEndian(position + LENGTH, WideArrays.getLong(array, start + LENGTH));
    }
}
