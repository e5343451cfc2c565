// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.core.memory.MemorySegmentWritable;
import org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.apache.flink.types.StringValue;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkFrameWriter implements FrameWriter {

    private final SpanningRecordSerializer<Content> serializer = new SpanningRecordSerializer<>();

    private BufferBuilder buffer;
    private BufferConsumer consumer;

    @Override
    public void serialize(Style style, byte[] content) throws IOException {
        serializer.serializeRecord(out -> write(style, content, out));
    }

    @Override
    public void serializeAndFail(Style style, byte[] content) throws IOException {
        serializer.serializeRecord(
                out -> {
                    write(style, content, out);
                    throw new IOException("broken record");
                });
    }

    @Override
    public void serializeHuge(int size) throws IOException {
        // Grows first and looks at its arguments afterwards, unless they are plainly wrong.
        MemorySegment small = MemorySegmentFactory.wrap(new byte[1]);
        serializer.serializeRecord(out -> ((MemorySegmentWritable) out).write(small, -size, size));
    }

    @Override
    public void serializeNull() throws IOException {
        serializer.serializeRecord(null);
    }

    private static void write(Style style, byte[] content, DataOutputView out) throws IOException {
        int at = 0;
        if (style == Style.ARRAY) {
            out.write(content);
            return;
        }
        if (style == Style.STRINGS) {
            for (; at < content.length; at += 100) {
                int size = Math.min(100, content.length - at);
                String text = new String(content, at, size, StandardCharsets.ISO_8859_1);
                StringValue.writeString(text, out);
            }
            return;
        }
        if (style == Style.LONGS) {
            for (; at + Long.BYTES <= content.length; at += Long.BYTES) {
                out.writeLong(ByteBuffer.wrap(content).getLong(at));
            }
        }
        for (; at < content.length; at++) {
            out.writeByte(content[at]);
        }
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

    /** Something that writes itself; nobody reads it back into an object. */
    private interface Content extends IOReadableWritable {

        @Override
        default void read(DataInputView in) {
            throw new UnsupportedOperationException();
        }
    }
}
