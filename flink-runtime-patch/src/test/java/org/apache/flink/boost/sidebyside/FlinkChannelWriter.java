// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.writer.ChannelSelector;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkChannelWriter implements ChannelWriter {

    private final TaskIOMetricGroup metrics =
            UnregisteredMetricGroups.createUnregisteredTaskMetricGroup().getIOMetricGroup();

    private LinePartition partition;
    private RecordWriter<IOReadableWritable> writer;
    private int channel;

    @Override
    public void open(
            int channels, int buffers, int bufferSize, boolean flushing, boolean broadcasting)
            throws IOException {
        partition = new LinePartition(channels, buffers, bufferSize);
        writer = partition.newWriter(new Chosen(broadcasting), flushing);
        writer.setMetricGroup(metrics);
    }

    @Override
    public void emit(int channel, Style style, byte[] content)
            throws IOException, InterruptedException {
        this.channel = channel;
        writer.emit(new Content(style, content, false));
    }

    @Override
    public void emitAndFail(int channel, Style style, byte[] content)
            throws IOException, InterruptedException {
        this.channel = channel;
        writer.emit(new Content(style, content, true));
    }

    @Override
    public void broadcast(Style style, byte[] content) throws IOException, InterruptedException {
        writer.broadcastEmit(new Content(style, content, false));
    }

    @Override
    public void event() throws IOException {
        writer.broadcastEvent(EndOfPartitionEvent.INSTANCE);
    }

    @Override
    public void flush() {
        writer.flushAll();
    }

    @Override
    public ChannelBuffer take(int channel) throws IOException, InterruptedException {
        return partition.take(channel);
    }

    @Override
    public String counts() {
        return metrics.getNumBytesOutCounter().getCount()
                + " bytes out, "
                + metrics.getNumBuffersOutCounter().getCount()
                + " buffers out, "
                + partition.usedBuffers()
                + " in use";
    }

    @Override
    public int close() throws IOException {
        writer.close();
        return partition.close();
    }

    /** The channel that the test asks for. */
    private final class Chosen implements ChannelSelector<IOReadableWritable> {

        private final boolean broadcast;

        Chosen(boolean broadcast) {
            this.broadcast = broadcast;
        }

        @Override
        public void setup(int numberOfChannels) {}

        @Override
        public int selectChannel(IOReadableWritable record) {
            return channel;
        }

        @Override
        public boolean isBroadcast() {
            return broadcast;
        }
    }
}
