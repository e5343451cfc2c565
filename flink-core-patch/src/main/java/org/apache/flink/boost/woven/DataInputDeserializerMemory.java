// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** The insides of {@code DataInputDeserializer}: an array, the next position, the end. */
@Patches("org.apache.flink.core.memory.DataInputDeserializer")
public interface DataInputDeserializerMemory extends Positioned {

    /** The array; null after {@code releaseArrays}. */
    @Reads("buffer")
    byte[] boostBuffer();

    /** Index of the next byte. */
    @Reads("position")
    int boostPosition();

    /** Index behind the last byte. */
    @Reads("end")
    int boostEnd();

    @Override
    @Writes("position")
    void boostPosition(int position);
}
