// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputView;

/** A view whose memory we see, and the position from which a record is read. */
abstract class ReadView {

    private final Positioned view;
    private final int start;

    private ReadView(Positioned view, int start) {
        this.view = view;
        this.start = start;
    }

    /** Null for a view of which what was read is not there any more. */
    static ReadView of(DataInputView in) {
        if (in == null) {
            return null;
        }
        if (in.getClass() == OwnViews.ARRAY_INPUT) {
            DataInputDeserializerMemory memory = (DataInputDeserializerMemory) in;
            return new ReadView(memory, memory.boostPosition()) {
                @Override
                int position() {
                    return memory.boostPosition();
                }

                @Override
                byte[] bytes(int from) {
                    return Arrays.copyOfRange(memory.boostBuffer(), from, memory.boostPosition());
                }
            };
        }
        if (in.getClass() == OwnViews.SEGMENT_INPUT) {
            SegmentInput memory = (SegmentInput) in;
            return new ReadView(memory, memory.boostPosition()) {
                @Override
                int position() {
                    return memory.boostPosition();
                }

                @Override
                byte[] bytes(int from) {
                    byte[] bytes = new byte[memory.boostPosition() - from];
                    memory.boostSegment().get(from, bytes);
                    return bytes;
                }
            };
        }
        return null;
    }

    abstract int position();

    abstract byte[] bytes(int from);

    /** What was read. */
    final byte[] bytes() {
        return bytes(start);
    }

    /** Goes back to the beginning of the record. */
    final void rewind() {
        view.boostPosition(start);
    }

    /** What reading the record once more returns or throws; the view stays where it is. */
    final <T> T again(StockRun.Call<T> reading) throws IOException {
        int end = position();
        rewind();
        try {
            return StockRun.again(reading);
        } finally {
            view.boostPosition(end);
        }
    }
}
