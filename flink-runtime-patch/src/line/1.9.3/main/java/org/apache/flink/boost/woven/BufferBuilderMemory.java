// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.apache.flink.core.memory.MemorySegment;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** The insides of a {@code BufferBuilder}: the network buffer that a task fills. */
@Patches("org.apache.flink.runtime.io.network.buffer.BufferBuilder")
public interface BufferBuilderMemory {

    /** The memory of the buffer. */
    @Reads("memorySegment")
    MemorySegment boostSegment();

    /** How far it is filled: {@link PositionMemory}, of a class that Flink keeps to itself. */
    @Reads("positionMarker")
    Object boostPosition();

    /** How far a network buffer is filled, for the task that fills it and for whoever reads it. */
    @Patches("org.apache.flink.runtime.io.network.buffer.BufferBuilder$SettablePositionMarker")
    interface PositionMemory {

        /** The number of bytes written, visible or not; negative when the buffer is finished. */
        @Reads("cachedPosition")
        int boostWritten();

        /** Sets that number; readers do not see it yet. */
        @Writes("cachedPosition")
        void boostWritten(int bytes);

        /** Makes what has been written visible to readers, by a volatile store. */
        @Calls("commit")
        void boostCommit();
    }
}
