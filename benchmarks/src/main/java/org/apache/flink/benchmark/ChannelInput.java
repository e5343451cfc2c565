// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer;
import org.apache.flink.runtime.io.network.api.serialization.RecordDeserializer.DeserializationResult;
import org.apache.flink.runtime.io.network.api.serialization.SpillingAdaptiveSpanningRecordDeserializer;
import org.apache.flink.runtime.io.network.buffer.BufferRecycler;
import org.apache.flink.runtime.io.network.buffer.NetworkBuffer;
import org.apache.flink.runtime.plugable.DeserializationDelegate;
import org.apache.flink.runtime.plugable.NonReusingDeserializationDelegate;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;

/**
 * A task's input without a network: channels that take turns, each with a deserializer of its own.
 *
 * <p>In its turn a channel gives the records of one series, which fills at least four buffers and
 * lies in them one record behind the other, so that most buffers end within one.
 */
final class ChannelInput {

    /** In buffers: a series is at least as long. */
    private static final int SHORTEST = 4;

    /** In bytes, all buffers together; channels share them where one each would be more. */
    private static final int MOST_BYTES = 16 << 20;

    /** The memory is read again and again. */
    private static final BufferRecycler KEEP = segment -> {};

    private final RecordDeserializer<DeserializationDelegate<StreamElement>>[] deserializers;
    private final DeserializationDelegate<StreamElement> delegate;
    private final MemorySegment[][] series;
    private final int recordsPerTurn;

    private int channel = -1;
    private int buffer;
    private boolean atEndOfBuffer = true;

    /**
     * An input of so many channels.
     *
     * @param records whose frames are in the buffers, beginning with the first in each turn
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    ChannelInput(Records records, int channels) {
        String[] folders = {System.getProperty("java.io.tmpdir")};
        deserializers =
                Stream.generate(() -> new SpillingAdaptiveSpanningRecordDeserializer<>(folders))
                        .limit(channels)
                        .toArray(RecordDeserializer[]::new);
        delegate = new NonReusingDeserializationDelegate<>(records.newSerializer());
        byte[][] frames = records.frames();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int count = 0;
        while (bytes.size() < SHORTEST * FilledBuffers.SIZE) {
            bytes.writeBytes(frames[count++ % frames.length]);
        }
        recordsPerTurn = count;
        series =
                Stream.generate(() -> cut(bytes.toByteArray()))
                        .limit(Math.max(1, Math.min(channels, MOST_BYTES / bytes.size())))
                        .toArray(MemorySegment[][]::new);
        buffer = series[0].length;
    }

    /** As the network stack gets memory; only the last one is shorter than a network buffer. */
    private static MemorySegment[] cut(byte[] bytes) {
        int count = (bytes.length + FilledBuffers.SIZE - 1) / FilledBuffers.SIZE;
        MemorySegment[] segments = new MemorySegment[count];
        Arrays.setAll(
                segments,
                i -> {
                    int from = i * FilledBuffers.SIZE;
                    int size = Math.min(FilledBuffers.SIZE, bytes.length - from);
                    MemorySegment segment =
                            MemorySegmentFactory.allocateUnpooledOffHeapMemory(size, null);
                    segment.put(0, bytes, from, size);
                    return segment;
                });
        return segments;
    }

    /** The next record of the channel whose turn it is. */
    StreamElement nextRecord() throws IOException {
        while (true) {
            if (atEndOfBuffer) {
                nextBuffer();
            }
            DeserializationResult result = deserializers[channel].getNextRecord(delegate);
            atEndOfBuffer = result.isBufferConsumed();
            if (result.isFullRecord()) {
                return delegate.getInstance();
            }
        }
    }

    private void nextBuffer() throws IOException {
        MemorySegment[] current = series[Math.max(channel, 0) % series.length];
        if (buffer == current.length) {
            channel = (channel + 1) % deserializers.length;
            current = series[channel % series.length];
            buffer = 0;
        }
        NetworkBuffer next = new NetworkBuffer(current[buffer], KEEP);
        next.setSize(current[buffer].size());
        deserializers[channel].setNextBuffer(next);
        buffer++;
    }

    /** How many records a channel gives in its turn. */
    int recordsPerTurn() {
        return recordsPerTurn;
    }
}
