// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.core.memory.MemorySegment;

/** The array below a memory segment, where it can stand for the segment. */
public final class SegmentArray {

    private SegmentArray() {}

    /**
     * The array whose byte at each index is that of the segment; null when there is none.
     *
     * <p>Every heap segment of an official Flink is a whole array. A Flink of somebody's own may
     * have segments that are a part of one, which then starts anywhere in it: only an array as long
     * as the segment is the segment.
     *
     * @throws IllegalStateException or another, as the segment decides, when it has been freed
     */
    public static byte[] of(MemorySegment segment) {
        if (segment.isOffHeap()) {
            return null;
        }
        byte[] array = segment.getArray();
        return array.length == segment.size() ? array : null;
    }
}
