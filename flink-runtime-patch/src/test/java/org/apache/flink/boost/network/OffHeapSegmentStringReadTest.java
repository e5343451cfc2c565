// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.io.IOException;
import org.apache.flink.boost.string.FlinkClasses;

/** Network buffers as Flink allocates them: off-heap. */
class OffHeapSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    Object allocate(FlinkClasses flink, int size) throws IOException {
        // As Flink's own pool of network buffers calls it; 1.9 has only this form.
        return flink.invokeStatic(FACTORY, "allocateUnpooledOffHeapMemory", size, null);
    }

    @Override
    boolean isOffHeap() {
        return true;
    }
}
