// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.MemorySegment;

/** The byte in front of a POJO or Java record: null, of just the class, or of a subclass. */
public final class Flags {

    /** What stock writes in front of a record that is of the serializer's own class. */
    private static final byte NO_SUBCLASS = 2;

    private Flags() {}

    /**
     * Whether the next byte says that the record is of the serializer's own class. Nothing is
     * consumed, so only views that show us their memory can be asked; of others it is never true.
     */
    public static boolean areOfOwnClass(DataInputView in) {
        if (in == null) {
            return false;
        }
        Class<?> view = in.getClass();
        if (view == OwnViews.ARRAY_INPUT) {
            return areOfOwnClass((DataInputDeserializerMemory) in);
        }
        return view == OwnViews.SEGMENT_INPUT && areOfOwnClass((SegmentInput) in);
    }

    private static boolean areOfOwnClass(DataInputDeserializerMemory in) {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        return buffer != null
                && position >= 0
                && position < in.boostEnd()
                && position < buffer.length
                && buffer[position] == NO_SUBCLASS;
    }

    private static boolean areOfOwnClass(SegmentInput in) {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        return segment != null
                && !segment.isFreed()
                && position >= 0
                && position < segment.size()
                && segment.get(position) == NO_SUBCLASS;
    }
}
