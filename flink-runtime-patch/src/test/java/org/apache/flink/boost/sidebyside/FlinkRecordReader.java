// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer.DeserializationResult;
import org.apache.flink.runtime.io.network.api.serialization.SpillingAdaptiveSpanningRecordDeserializer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.apache.flink.runtime.io.network.buffer.NetworkBuffer;
import org.apache.flink.types.StringValue;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkRecordReader implements RecordReader {

    private SpillingAdaptiveSpanningRecordDeserializer<Strings> deserializer;

    @Override
    public void open(String folder) {
        deserializer = new SpillingAdaptiveSpanningRecordDeserializer<>(new String[] {folder});
    }

    @Override
    public List<String> read(byte[] bytes, int bufferSize, boolean offHeap) throws IOException {
        Strings record = new Strings();
        for (int from = 0; from < bytes.length; from += bufferSize) {
            int size = Math.min(bufferSize, bytes.length - from);
            MemorySegment segment =
                    offHeap
                            ? MemorySegmentFactory.wrapOffHeapMemory(
                                    ByteBuffer.allocateDirect(bufferSize))
                            : MemorySegmentFactory.wrap(new byte[bufferSize]);
            segment.put(0, bytes, from, size);
            NetworkBuffer buffer = new NetworkBuffer(segment, FreeingBufferRecycler.INSTANCE);
            buffer.setSize(size);
            deserializer.setNextBuffer(buffer);
            DeserializationResult result;
            do {
                result = deserializer.getNextRecord(record);
            } while (!result.isBufferConsumed());
        }
        return record.all;
    }

    /** Collects what it reads. */
    private static final class Strings implements IOReadableWritable {

        private final List<String> all = new ArrayList<>();

        @Override
        public void read(DataInputView in) throws IOException {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                all.add(StringValue.readString(in));
            }
        }

        @Override
        public void write(DataOutputView out) {
            throw new UnsupportedOperationException();
        }
    }
}
