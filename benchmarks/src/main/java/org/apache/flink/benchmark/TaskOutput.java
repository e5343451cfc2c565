// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.function.ObjIntConsumer;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.NetworkPartition;

/**
 * A task's output without a network: records go to one channel after the other, and the thread that
 * emits takes the buffers that are full, too.
 */
final class TaskOutput implements AutoCloseable {

    /** Looks at no buffer. */
    static final ObjIntConsumer<Buffer> NOBODY = (buffer, channel) -> {};

    private final NetworkPartition partition;
    private final RecordWriter<IOReadableWritable> writer;

    /** Channels with full buffers: as many as {@code waiting} says, in the order of their news. */
    private final int[] channelsWaiting;

    private final boolean[] isWaiting;
    private int waiting;

    /**
     * An output that never waits for memory.
     *
     * @param longestRecord in bytes, with its length in front
     */
    TaskOutput(int channels, int longestRecord) throws IOException {
        channelsWaiting = new int[channels];
        isWaiting = new boolean[channels];
        // One that is being filled for each channel, one more that has just become full, and what
        // the longest record fills before anybody takes it.
        int buffers = 2 * channels + longestRecord / FilledBuffers.SIZE + 1;
        partition = new NetworkPartition(channels, buffers, FilledBuffers.SIZE, this::wake);
        writer = partition.newWriter();
    }

    private void wake(int channel) {
        if (!isWaiting[channel]) {
            isWaiting[channel] = true;
            channelsWaiting[waiting++] = channel;
        }
    }

    /** Hands a record to the record writer. */
    void emit(IOReadableWritable record) throws IOException, InterruptedException {
        writer.emit(record);
    }

    /** Whether there is something to {@link #drain}. */
    boolean hasFullBuffers() {
        return waiting != 0;
    }

    /** Makes buffers that are not full yet available, too. */
    void flush() {
        writer.flushAll();
    }

    /**
     * Takes all buffers that are available and gives them back to their pool.
     *
     * @param receiver sees each before it goes, with the number of its channel
     */
    void drain(ObjIntConsumer<Buffer> receiver) throws IOException, InterruptedException {
        for (int i = 0; i < waiting; i++) {
            int channel = channelsWaiting[i];
            isWaiting[channel] = false;
            while (partition.take(channel, receiver)) {
                // There is another one.
            }
        }
        waiting = 0;
    }

    @Override
    public void close() throws IOException {
        writer.close();
        partition.close();
    }
}
