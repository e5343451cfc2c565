// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.core.memory.MemorySegmentWritable;
import org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkFrameWriter implements FrameWriter {

    private final SpanningRecordSerializer<IOReadableWritable> serializer =
            new SpanningRecordSerializer<>();

    private BufferBuilder buffer;
    private BufferConsumer consumer;

    @Override
    public void serialize(Style style, byte[] content) throws IOException {
        serializer.serializeRecord(new Content(style, content, false));
    }

    @Override
    public void serializeAndFail(Style style, byte[] content) throws IOException {
        serializer.serializeRecord(new Content(style, content, true));
    }

    @Override
    public void serializeHuge(int size) throws IOException {
        // Grows first and looks at its arguments afterwards, unless they are plainly wrong.
        MemorySegment small = MemorySegmentFactory.wrap(new byte[1]);
        Written huge = out -> ((MemorySegmentWritable) out).write(small, -size, size);
        serializer.serializeRecord(huge);
    }

    @Override
    public void serializeNull() throws IOException {
        serializer.serializeRecord(null);
    }

    @Override
    public void openBuffer(int size, boolean offHeap) {
        MemorySegment segment =
                offHeap
                        ? MemorySegmentFactory.wrapOffHeapMemory(ByteBuffer.allocateDirect(size))
                        : MemorySegmentFactory.wrap(new byte[size]);
        buffer = new BufferBuilder(segment, FreeingBufferRecycler.INSTANCE);
        consumer = buffer.createBufferConsumer();
    }

    @Override
    public String copy() {
        return serializer.copyToBufferBuilder(buffer).name();
    }

    @Override
    public byte[] committed() {
        Buffer built = consumer.build();
        byte[] bytes = new byte[built.readableBytes()];
        built.asByteBuf().getBytes(built.getReaderIndex(), bytes);
        built.recycleBuffer();
        return bytes;
    }

    @Override
    public int finishBuffer() {
        return buffer.finish();
    }

    @Override
    public void reset() {
        serializer.reset();
    }

    @Override
    public void prune() {
        serializer.prune();
    }

    @Override
    public boolean hasSerializedData() {
        return serializer.hasSerializedData();
    }

    /** A record as an expression. */
    private interface Written extends IOReadableWritable {

        @Override
        default void read(DataInputView in) {
            throw new UnsupportedOperationException();
        }
    }
}
