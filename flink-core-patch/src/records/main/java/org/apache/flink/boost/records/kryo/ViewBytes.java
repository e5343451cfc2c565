// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.MemorySegment;

/**
 * The memory behind a view of Flink's: an array or a network buffer.
 *
 * <p>Bytes are copied, never shared: others may read the same memory. None are copied that the view
 * would not give.
 */
final class ViewBytes {

    // One of the two; neither before a view is bound.
    private DataInputDeserializerMemory array;
    private SegmentInput network;

    /** Takes a view that {@linkplain OwnViews#showsMemory shows its memory}. */
    void bind(DataInputView view) {
        boolean isArray = view.getClass() == OwnViews.ARRAY_INPUT;
        array = isArray ? (DataInputDeserializerMemory) view : null;
        network = isArray ? null : (SegmentInput) view;
    }

    /** Lets the view go. */
    void release() {
        array = null;
        network = null;
    }

    int position() {
        return array != null ? array.boostPosition() : network.boostPosition();
    }

    void setPosition(int index) {
        if (array != null) {
            array.boostPosition(index);
        } else {
            network.boostPosition(index);
        }
    }

    /** The index behind the last byte that may be copied; 0 where only stock is to try. */
    int end() {
        if (array != null) {
            byte[] bytes = array.boostBuffer();
            return bytes == null ? 0 : Math.min(array.boostEnd(), bytes.length);
        }
        MemorySegment segment = network.boostSegment();
        return segment == null || segment.isFreed()
                ? 0
                : Math.min(network.boostLimit(), segment.size());
    }

    /** Copies bytes before the {@link #end} to the begin of an array. */
    void copy(int from, byte[] target, int count) {
        if (array != null) {
            System.arraycopy(array.boostBuffer(), from, target, 0, count);
        } else {
            network.boostSegment().get(from, target, 0, count);
        }
    }
}
