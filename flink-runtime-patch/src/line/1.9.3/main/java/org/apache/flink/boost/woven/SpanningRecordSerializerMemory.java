// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.nio.ByteBuffer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** The insides of a {@code SpanningRecordSerializer}: one record on its way to network buffers. */
@Patches("org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer")
public interface SpanningRecordSerializerMemory {

    /** What records write to. Its array holds at least 128 bytes. */
    @Reads("serializationBuffer")
    DataOutputSerializer boostOut();

    /** The record: what has been copied lies in front of the position, the rest behind it. */
    @Reads("dataBuffer")
    ByteBuffer boostData();

    /** Replaces the view of the record. */
    @Writes("dataBuffer")
    void boostData(ByteBuffer data);

    /** Stock's buffer of four bytes for the length of the record. */
    @Reads("lengthBuffer")
    ByteBuffer boostLength();
}
