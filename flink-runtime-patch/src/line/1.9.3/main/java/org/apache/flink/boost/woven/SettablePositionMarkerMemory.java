// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** How far a network buffer is filled, for the task that fills it and for whoever reads it. */
@Patches("org.apache.flink.runtime.io.network.buffer.BufferBuilder$SettablePositionMarker")
public interface SettablePositionMarkerMemory {

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
