// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.api.writer.RecordWriterBuilder;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferPool;
import org.apache.flink.runtime.io.network.buffer.NetworkBufferPool;
import org.apache.flink.runtime.io.network.partition.BufferAvailabilityListener;
import org.apache.flink.runtime.io.network.partition.PipelinedResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultPartitionManager;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.io.network.partition.ResultSubpartition;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionView;

/**
 * A pipelined partition with its pool, set up as Flink 1.12 and newer do it. Calls Flink: one per
 * side.
 */
final class LinePartition {

    private final NetworkBufferPool pool;
    private final BufferPool buffers;
    private final ResultPartition partition;
    private final ResultSubpartitionView[] views;

    LinePartition(int channels, int buffers, int bufferSize) throws IOException {
        pool = new NetworkBufferPool(buffers, bufferSize);
        this.buffers = newBufferPool(buffers, channels);
        ResultSubpartition[] subpartitions = new ResultSubpartition[channels];
        partition =
                new PipelinedResultPartition(
                        "test",
                        0,
                        new ResultPartitionID(),
                        ResultPartitionType.PIPELINED_BOUNDED,
                        subpartitions,
                        channels,
                        new ResultPartitionManager(),
                        null,
                        () -> this.buffers);
        for (int i = 0; i < channels; i++) {
            subpartitions[i] = newSubpartition(i, bufferSize);
        }
        partition.setup();
        views = new ResultSubpartitionView[channels];
        for (int i = 0; i < channels; i++) {
            views[i] = subpartitions[i].createReadView(nobody());
        }
    }

    /** By reflection because 1.12.0 takes no buffers in advance. */
    private BufferPool newBufferPool(int buffers, int channels) {
        try {
            for (Method method : NetworkBufferPool.class.getMethods()) {
                if (method.getName().equals("createBufferPool")
                        && method.getParameterCount() == 5) {
                    return (BufferPool) method.invoke(pool, buffers, buffers, channels, buffers, 0);
                }
            }
            return (BufferPool)
                    NetworkBufferPool.class
                            .getMethod(
                                    "createBufferPool", int.class, int.class, int.class, int.class)
                            .invoke(pool, buffers, buffers, channels, buffers);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** A proxy because from 1.19 on a listener is told which view has data. */
    private static BufferAvailabilityListener nobody() {
        return (BufferAvailabilityListener)
                Proxy.newProxyInstance(
                        BufferAvailabilityListener.class.getClassLoader(),
                        new Class<?>[] {BufferAvailabilityListener.class},
                        (listener, method, arguments) -> null);
    }

    /** By reflection because Flink keeps the class to its package; 2.x also asks for the size. */
    private ResultSubpartition newSubpartition(int index, int bufferSize) {
        try {
            Constructor<?> constructor =
                    Class.forName(
                                    ResultSubpartition.class.getPackageName()
                                            + ".PipelinedSubpartition")
                            .getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            switch (constructor.getParameterCount()) {
                case 2: // 1.12.0
                    return (ResultSubpartition) constructor.newInstance(index, partition);
                case 3:
                    return (ResultSubpartition) constructor.newInstance(index, 2, partition);
                default:
                    return (ResultSubpartition)
                            constructor.newInstance(index, 2, bufferSize, partition);
            }
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
                (buffer.isBuffer() ? "data" : "event ")
                        + buffer.getDataType()
                        + (next.isDataAvailable() ? ", more available" : "")
                        + ", backlog "
                        + next.buffersInBacklog(),
                bytes);
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
