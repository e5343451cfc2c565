// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.boost.network.BufferAppend;
import org.apache.flink.boost.network.PositionStore;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.serialization.RecordSerializer;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;

/**
 * Writes a framed record that fits the buffer being filled in one step; where it does not, stock's
 * body copies it on.
 */
@Patches("org.apache.flink.runtime.io.network.api.writer.RecordWriter")
public final class RecordWriterPatch {

    private RecordWriterPatch() {}

    /**
     * The insides of a {@code RecordWriter}: one serializer, and the buffers that are being filled.
     */
    public interface Memory {

        /** What frames a record; always a {@code SpanningRecordSerializer}. */
        @Reads("serializer")
        RecordSerializer<?> boostSerializer();

        /** One {@code BufferBuilder} per channel; empty where none is being filled. */
        @Reads("bufferBuilders")
        Optional<?>[] boostBuffers();

        /** The numbers of all channels. */
        @Reads("broadcastChannels")
        int[] boostBroadcastChannels();

        /** Whether each record is sent at once. */
        @Reads("flushAlways")
        boolean boostFlushAlways();

        /** Where the buffers go. */
        @Reads("targetPartition")
        ResultPartitionWriter boostPartition();

        /**
         * Asks whether flushing has failed meanwhile.
         *
         * @throws IOException when it has
         */
        @Calls("checkErroneous")
        void boostCheckErroneous() throws IOException;

        /**
         * Copies the serialized record to as many buffers as it takes.
         *
         * @return whether a buffer has become full with it
         */
        @Calls("copyFromSerializerToTargetChannel")
        boolean boostCopy(int targetChannel) throws IOException, InterruptedException;
    }

    /** Emits a record to one channel. */
    @Replaces
    public static boolean emit(Memory self, IOReadableWritable record, int targetChannel)
            throws IOException, InterruptedException {
        RecordSerializer<?> serializer = self.boostSerializer();
        SpanningRecordSerializerMemory written = (SpanningRecordSerializerMemory) serializer;
        SpanningRecordSerializerPatch.serializeRecord(written, record);
        // Another record would wait for the memory of this one's buffer when it is copied.
        PositionStore store =
                BufferAppend.isOneLong(written.boostData())
                        ? PositionStore.RELEASE
                        : PositionStore.VOLATILE;
        if (!copy(self, written, targetChannel, store) && self.boostCopy(targetChannel)) {
            serializer.prune();
        }
        return true;
    }

    /** Emits a record to all channels. */
    @Replaces
    public static boolean broadcastEmit(Memory self, IOReadableWritable record)
            throws IOException, InterruptedException {
        self.boostCheckErroneous();
        RecordSerializer<?> serializer = self.boostSerializer();
        SpanningRecordSerializerMemory written = (SpanningRecordSerializerMemory) serializer;
        SpanningRecordSerializerPatch.serializeRecord(written, record);
        boolean prune = false;
        int[] channels = self.boostBroadcastChannels();
        for (int i = 0; i < channels.length; i++) {
            serializer.reset();
            // The volatile store for the last channel shows what all the others were given, so
            // that none of them has to wait for its own memory.
            PositionStore store =
                    i < channels.length - 1 ? PositionStore.RELEASE : PositionStore.VOLATILE;
            if (!copy(self, written, channels[i], store)) {
                prune |= self.boostCopy(channels[i]);
            }
        }
        if (prune) {
            serializer.prune();
        }
        return true;
    }

    /**
     * Copies the serialized record, of which nothing has been copied, to the buffer being filled.
     *
     * @return false when there is none or the record would fill it: nothing has been done
     */
    private static boolean copy(
            Memory writer,
            SpanningRecordSerializerMemory written,
            int targetChannel,
            PositionStore store) {
        Optional<?> filling = writer.boostBuffers()[targetChannel];
        if (!filling.isPresent()) {
            return false;
        }
        if (!BufferAppend.leavesRoom((BufferBuilder) filling.get(), written.boostData(), store)) {
            return false;
        }
        if (writer.boostFlushAlways()) {
            writer.boostPartition().flush(targetChannel);
        }
        return true;
    }
}
