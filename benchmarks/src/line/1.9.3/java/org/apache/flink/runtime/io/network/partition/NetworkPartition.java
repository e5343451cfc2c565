// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition;

import java.io.IOException;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterBuilder;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;

/**
 * A pipelined result partition with its buffer pool, as a task has; in this package because Flink
 * keeps the subpartitions private to it.
 */
public final class NetworkPartition implements AutoCloseable {

    private final NetworkBufferPool pool;
    private final ResultPartition partition;
    private final ResultSubpartitionView[] views;

    /**
     * A partition with all its memory.
     *
     * @param buffers in the pool
     * @param bufferSize in bytes
     * @param listener gets the number of a channel that has a buffer to take where it had none
     */
    public NetworkPartition(int channels, int buffers, int bufferSize, IntConsumer listener)
            throws IOException {
        pool = new NetworkBufferPool(buffers, bufferSize, 1);
        ResultSubpartition[] subpartitions = new ResultSubpartition[channels];
        partition =
                new ResultPartition(
                        "benchmark",
                        new ResultPartitionID(),
                        ResultPartitionType.PIPELINED_BOUNDED,
                        subpartitions,
                        channels,
                        new ResultPartitionManager(),
                        owner -> pool.createBufferPool(buffers, buffers));
        for (int i = 0; i < channels; i++) {
            subpartitions[i] = new PipelinedSubpartition(i, partition);
        }
        partition.setup();
        views = new ResultSubpartitionView[channels];
        for (int i = 0; i < channels; i++) {
            int channel = i;
            views[i] = subpartitions[i].createReadView(() -> listener.accept(channel));
        }
    }

    /** A record writer that takes one channel after the other; buffers leave when they are full. */
    @SuppressWarnings("unchecked") // The builder of this line knows no types.
    public RecordWriter<IOReadableWritable> newWriter() {
        return new RecordWriterBuilder().setTimeout(-1).build(partition);
    }

    /**
     * Takes the next buffer of a channel, if there is one, and gives it back to the pool.
     *
     * @return whether there is another one to take
     */
    public boolean take(int channel, ObjIntConsumer<Buffer> receiver)
            throws IOException, InterruptedException {
        ResultSubpartition.BufferAndBacklog next = views[channel].getNextBuffer();
        if (next == null) {
            return false;
        }
        receiver.accept(next.buffer(), channel);
        next.buffer().recycleBuffer();
        return next.isMoreAvailable();
    }

    @Override
    public void close() throws IOException {
        partition.release();
        partition.close();
        pool.destroyAllBufferPools();
        pool.destroy();
    }
}
