// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.boost.network.BufferAppend;
import org.apache.flink.boost.network.PositionStore;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.io.network.api.serialization.RecordSerializer.SerializationResult;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/**
 * Frames a record in one piece: its length of four bytes lies in front of it in the same array, so
 * that one copy takes both to the network buffer where stock makes two (FLINK-11859).
 *
 * <p>A serializer is in one of two states. <em>Framed</em>: {@code dataBuffer} holds length and
 * record, {@code lengthBuffer} has limit 0. <em>Apart</em>: both hold what stock's would; so it is
 * before the first record, after {@code prune} and after a record that failed. Stock's {@code
 * reset} and {@code hasSerializedData} are right in both, because to them a {@code lengthBuffer} of
 * limit 0 is one that has been copied.
 */
@Patches("org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer")
public final class SpanningRecordSerializerPatch {

    /** Bytes of the length in front of a record. */
    public static final int LENGTH = Integer.BYTES;

    private SpanningRecordSerializerPatch() {}

    /**
     * Writes length and record into the serializer's array.
     *
     * @throws IOException what the record throws; the serializer is apart then
     */
    @Replaces
    public static boolean serializeRecord(
            SpanningRecordSerializerMemory self, IOReadableWritable record) throws IOException {
        DataOutputSerializer out = self.boostOut();
        DataOutputSerializerMemory array = (DataOutputSerializerMemory) out;
        array.boostPosition(LENGTH);
        try {
            record.write(out);
        } catch (Throwable e) {
            fail(self);
            throw e;
        }
        int end = array.boostPosition();
        array.boostPosition(0);
        out.writeInt(end - LENGTH);
        array.boostPosition(end);
        self.boostData(out.wrapAsByteBuffer());
        ByteBuffer length = self.boostLength();
        if (length.limit() != 0) {
            length.limit(0);
        }
        return true;
    }

    /** Copies as much of length and record as fits. */
    @Replaces
    public static Object copyToBufferBuilder(
            SpanningRecordSerializerMemory self, BufferBuilder target) {
        if (self.boostLength().limit() != 0) {
            return HandOver.TO_STOCK;
        }
        ByteBuffer data = self.boostData();
        if (BufferAppend.leavesRoom(target, data, PositionStore.VOLATILE)) {
            return SerializationResult.FULL_RECORD;
        }
        target.append(data);
        target.commit();
        if (data.hasRemaining()) {
            return SerializationResult.PARTIAL_RECORD_MEMORY_SEGMENT_FULL;
        }
        return target.isFull()
                ? SerializationResult.FULL_RECORD_MEMORY_SEGMENT_FULL
                : SerializationResult.FULL_RECORD;
    }

    /**
     * Forgets the record, and a large array with it; its length stays known, as it does in stock.
     */
    @Replaces
    public static boolean prune(SpanningRecordSerializerMemory self) {
        takeApart(self);
        DataOutputSerializer out = self.boostOut();
        out.pruneBuffer();
        self.boostData(out.wrapAsByteBuffer());
        return true;
    }

    /** Leaves what stock leaves: the former record, and a length that is still to be copied. */
    private static void fail(SpanningRecordSerializerMemory self) {
        takeApart(self);
        self.boostLength().clear();
    }

    /** Gives both buffers the content and the position that they would have in stock. */
    private static void takeApart(SpanningRecordSerializerMemory self) {
        ByteBuffer length = self.boostLength();
        if (length.limit() != 0) {
            return;
        }
        ByteBuffer framed = self.boostData();
        int copied = framed.position();
        length.clear();
        length.putInt(0, framed.limit() - LENGTH);
        length.position(Math.min(copied, LENGTH));
        framed.position(LENGTH);
        ByteBuffer data = framed.slice();
        data.position(Math.max(copied - LENGTH, 0));
        self.boostData(data);
    }
}
