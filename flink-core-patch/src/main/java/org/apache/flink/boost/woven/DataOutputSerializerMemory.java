// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** The insides of {@code DataOutputSerializer}: a growing array and the next position in it. */
@Patches("org.apache.flink.core.memory.DataOutputSerializer")
public interface DataOutputSerializerMemory {

    /** The array; another one after {@link #boostResize}. */
    @Reads("buffer")
    byte[] boostBuffer();

    /** Index of the next byte, from 0 to the length of the array. */
    @Reads("position")
    int boostPosition();

    /** Sets the index of the next byte. */
    @Writes("position")
    void boostPosition(int position);

    /**
     * Grows the array by at least that many bytes, to twice its length when that is more.
     *
     * @throws IOException when an array of that length cannot be had
     */
    @Calls("resize")
    void boostResize(int minCapacityAdd) throws IOException;
}
