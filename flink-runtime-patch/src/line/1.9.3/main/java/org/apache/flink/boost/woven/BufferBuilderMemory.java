// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.apache.flink.core.memory.MemorySegment;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;

/** The insides of a {@code BufferBuilder}: the network buffer that a task fills. */
@Patches("org.apache.flink.runtime.io.network.buffer.BufferBuilder")
public interface BufferBuilderMemory {

    /** The memory of the buffer. */
    @Reads("memorySegment")
    MemorySegment boostSegment();

    /**
     * How far it is filled: {@link SettablePositionMarkerMemory}, of a class that Flink keeps to
     * itself.
     */
    @Reads("positionMarker")
    Object boostPosition();
}
