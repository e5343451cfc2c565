// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.apache.flink.core.memory.MemorySegment;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** Opens the insides of the view of a record that lies in one network buffer. */
@Patches({
    "org.apache.flink.runtime.io.network.api.serialization.NonSpanningWrapper",
    "org.apache.flink.runtime.io.network.api.serialization"
            + ".SpillingAdaptiveSpanningRecordDeserializer$NonSpanningWrapper"
})
public interface NonSpanningWrapperMemory extends SegmentInput {

    @Override
    @Reads("segment")
    MemorySegment boostSegment();

    @Override
    @Reads("position")
    int boostPosition();

    @Override
    @Reads("limit")
    int boostLimit();

    @Override
    @Writes("position")
    void boostPosition(int position);

    @Override
    @Reads("utfByteBuffer")
    byte[] boostScratch();

    @Override
    @Writes("utfByteBuffer")
    void boostScratch(byte[] scratch);

    @Override
    @Reads("utfCharBuffer")
    char[] boostCharScratch();

    @Override
    @Writes("utfCharBuffer")
    void boostCharScratch(char[] scratch);
}
