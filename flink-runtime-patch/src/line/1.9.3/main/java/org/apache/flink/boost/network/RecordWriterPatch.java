// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer;
import org.apache.flink.runtime.io.network.api.writer.RecordWriter;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/**
 * Writes a framed record that fits the buffer being filled in one step; where it does not, stock's
 * body copies it on.
 */
@Patches("org.apache.flink.runtime.io.network.api.writer.RecordWriter")
public final class RecordWriterPatch {

    private RecordWriterPatch() {}

    /** Emits a record to one channel. */
    @Replaces(instance = true)
    public static boolean emit(RecordWriter<?> self, IOReadableWritable record, int targetChannel)
            throws IOException, InterruptedException {
        RecordWriterFields fields = (RecordWriterFields) (Object) self;
        SpanningRecordSerializer<?> serializer =
                (SpanningRecordSerializer<?>) fields.boostSerializer();
        SpanningRecordSerializerPatch.serializeRecord(serializer, record);
        Optional<?> filling = fields.boostBuffers()[targetChannel];
        if (filling.isPresent()
                && BufferAppend.leavesRoom(
                        (BufferBuilder) filling.get(),
                        ((SpanningSerializerFields) (Object) serializer).boostData())) {
            if (fields.boostFlushAlways()) {
                fields.boostPartition().flush(targetChannel);
            }
            return true;
        }
        if (fields.boostCopy(targetChannel)) {
            serializer.prune();
        }
        return true;
    }
}
