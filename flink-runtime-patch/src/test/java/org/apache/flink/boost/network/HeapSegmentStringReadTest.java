// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.io.IOException;
import org.apache.flink.boost.string.FlinkClasses;

/** Network buffers on the heap. */
class HeapSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    Object allocate(FlinkClasses flink, int size) throws IOException {
        return flink.invokeStatic(FACTORY, "allocateUnpooledSegment", size);
    }

    @Override
    boolean isOffHeap() {
        return false;
    }
}
