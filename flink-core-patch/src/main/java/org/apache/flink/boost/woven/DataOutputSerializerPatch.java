// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.core.memory.MemorySegment;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/** Writes the rows of the SQL path, which lie in memory segments, from array to array. */
@Patches("org.apache.flink.core.memory.DataOutputSerializer")
public final class DataOutputSerializerPatch {

    private DataOutputSerializerPatch() {}

    /** Appends bytes of a heap segment; hands over where the array must grow or stock fails. */
    @Replaces
    public static boolean write(
            DataOutputSerializerMemory self, MemorySegment segment, int off, int len) {
        // Stock looks at the length before the segment, up to Flink 1.10.
        byte[] bytes = Bytes.isReadable(segment) ? Bytes.arrayOf(segment) : null;
        if (bytes == null || off < 0 || len < 0 || off > bytes.length - len) {
            return false;
        }
        byte[] array = self.boostBuffer();
        int position = self.boostPosition();
        if (position < 0 || position > array.length - len) {
            return false;
        }
        System.arraycopy(bytes, off, array, position, len);
        self.boostPosition(position + len);
        return true;
    }
}
