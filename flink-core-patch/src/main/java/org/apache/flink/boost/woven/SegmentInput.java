// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.apache.flink.core.memory.MemorySegment;

/**
 * The insides of {@code NonSpanningWrapper}, the view of a record that lies in one network buffer.
 * The class is package-private in flink-runtime; the patch there makes it implement this.
 *
 * <p>Stock checks against the end of the segment, not against the record's limit; so do we.
 */
public interface SegmentInput extends Positioned {

    /** The segment; null when the view is cleared. */
    MemorySegment boostSegment();

    /** Index of the next byte in the segment. */
    int boostPosition();

    /**
     * Index behind the last byte that was received; the rest of the segment is not ours to read.
     */
    int boostLimit();

    /**
     * The view's own array for temporary bytes, which stock uses in {@code readUTF}; may be null.
     */
    byte[] boostScratch();

    /** Replaces that array. */
    void boostScratch(byte[] scratch);

    /** The view's own array for temporary characters, which stock uses so too; may be null. */
    char[] boostCharScratch();

    /** Replaces that array. */
    void boostCharScratch(char[] scratch);
}
