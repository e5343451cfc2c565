// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterBuilder;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.BufferPoolOwner;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionView;
import org.apache.flink.util.function.FunctionWithException;

/**
 * A pipelined partition with its pool, set up as Flink 1.10 and 1.11 do it. Calls Flink: one per
 * side.
 */
final class LinePartition {

    private final NetworkBufferPool pool;
    private final BufferPool buffers;
    private final ResultPartition partition;
    private final ResultSubpartitionView[] views;

    LinePartition(int channels, int buffers, int bufferSize) throws IOException {
        pool = new NetworkBufferPool(buffers, bufferSize, 1);
        this.buffers = newBufferPool(buffers, channels);
        ResultSubpartition[] subpartitions = new ResultSubpartition[channels];
        partition = newPartition(subpartitions);
        for (int i = 0; i < channels; i++) {
            subpartitions[i] = newSubpartition(i);
        }
        partition.setup();
        views = new ResultSubpartitionView[channels];
        for (int i = 0; i < channels; i++) {
            views[i] = subpartitions[i].createReadView(() -> {});
        }
    }

    /** By reflection because 1.11 also asks for the channels. */
    private BufferPool newBufferPool(int buffers, int channels) throws IOException {
        for (Method method : NetworkBufferPool.class.getMethods()) {
            if (method.getName().equals("createBufferPool") && method.getParameterCount() == 5) {
                try {
                    return (BufferPool)
                            method.invoke(pool, buffers, buffers, null, channels, buffers);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return pool.createBufferPool(buffers, buffers);
    }

    /** By reflection because 1.11 also asks for the partition's index. */
    private ResultPartition newPartition(ResultSubpartition[] subpartitions) {
        FunctionWithException<BufferPoolOwner, BufferPool, IOException> ours =
                owner -> this.buffers;
        ResultPartitionID id = new ResultPartitionID();
        ResultPartitionType type = ResultPartitionType.PIPELINED_BOUNDED;
        ResultPartitionManager partitions = new ResultPartitionManager();
        int channels = subpartitions.length;
        try {
            Constructor<?> constructor = ResultPartition.class.getConstructors()[0];
            return (ResultPartition)
                    (constructor.getParameterCount() == 8
                            ? constructor.newInstance(
                                    "test",
                                    id,
                                    type,
                                    subpartitions,
                                    channels,
                                    partitions,
                                    null,
                                    ours)
                            : constructor.newInstance(
                                    "test",
                                    0,
                                    id,
                                    type,
                                    subpartitions,
                                    channels,
                                    partitions,
                                    null,
                                    ours));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** By reflection because Flink keeps the class to its package. */
    private ResultSubpartition newSubpartition(int index) {
        try {
            Constructor<?> constructor =
                    Class.forName(
                                    ResultSubpartition.class.getPackageName()
                                            + ".PipelinedSubpartition")
                            .getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return (ResultSubpartition) constructor.newInstance(index, partition);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** A writer whose buffers leave when they are full, or with each record. */
    RecordWriter<IOReadableWritable> newWriter(
            ChannelSelector<IOReadableWritable> selector, boolean flushing) {
        return new RecordWriterBuilder<IOReadableWritable>()
                .setChannelSelector(selector)
                .setTimeout(flushing ? 0 : -1)
                .build(partition);
    }

    ChannelBuffer take(int channel) throws IOException, InterruptedException {
        ResultSubpartition.BufferAndBacklog next = views[channel].getNextBuffer();
        if (next == null) {
            return null;
        }
        Buffer buffer = next.buffer();
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getNioBufferReadable().get(bytes);
        buffer.recycleBuffer();
        return new ChannelBuffer(
                (buffer.isBuffer() ? "data" : "event")
                        + (isMoreAvailable(next) ? ", more available" : "")
                        + ", backlog "
                        + next.buffersInBacklog(),
                bytes);
    }

    /** By reflection because 1.11 calls it {@code isDataAvailable}. */
    private static boolean isMoreAvailable(ResultSubpartition.BufferAndBacklog next) {
        for (String name : new String[] {"isMoreAvailable", "isDataAvailable"}) {
            try {
                return (boolean) next.getClass().getMethod(name).invoke(next);
            } catch (NoSuchMethodException e) {
                // The other name.
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError(next.getClass() + " does not say whether there is more");
    }

    int usedBuffers() {
        return buffers.bestEffortGetNumOfUsedBuffers();
    }

    /** The number of buffers that are back. */
    int close() throws IOException {
        partition.release();
        partition.close();
        pool.destroyAllBufferPools();
        int back = pool.getNumberOfAvailableMemorySegments();
        pool.destroy();
        return back;
    }
}
