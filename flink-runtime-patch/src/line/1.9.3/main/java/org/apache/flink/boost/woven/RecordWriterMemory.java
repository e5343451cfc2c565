// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.runtime.io.network.api.serialization.RecordSerializer;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;

/** The insides of a {@code RecordWriter}: one serializer, and the buffers that are being filled. */
@Patches("org.apache.flink.runtime.io.network.api.writer.RecordWriter")
public interface RecordWriterMemory {

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
