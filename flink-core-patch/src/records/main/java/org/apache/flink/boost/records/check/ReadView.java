// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.records.FixedFields;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputView;

/** A view whose memory we see, and the position from which a record is read. */
final class ReadView {

    private final DataInputView view;
    private final int start;

    private ReadView(DataInputView view) {
        this.view = view;
        this.start = position();
    }

    /** Null for a view of which what was read is not there any more. */
    static ReadView of(DataInputView in) {
        return in != null && OwnViews.showsMemory(in) ? new ReadView(in) : null;
    }

    private int position() {
        return FixedFields.position(view);
    }

    /** How many bytes were read. */
    int length() {
        return position() - start;
    }

    /** What was read. */
    byte[] bytes() {
        int end = position();
        if (view.getClass() == OwnViews.ARRAY_INPUT) {
            byte[] array = ((DataInputDeserializerMemory) view).boostBuffer();
            return Arrays.copyOfRange(array, start, end);
        }
        byte[] bytes = new byte[end - start];
        ((SegmentInput) view).boostSegment().get(start, bytes);
        return bytes;
    }

    /** Goes back to the beginning of the record. */
    void rewind() {
        FixedFields.position(view, start);
    }

    /** What reading the record once more returns or throws; the view stays where it is. */
    <T> T again(StockRun.Call<T, IOException> reading) throws IOException {
        int end = position();
        rewind();
        try {
            return StockRun.again(reading);
        } finally {
            FixedFields.position(view, end);
        }
    }
}
