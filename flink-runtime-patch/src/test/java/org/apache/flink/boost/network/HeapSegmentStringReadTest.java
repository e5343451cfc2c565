// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

/** Network buffers on the heap. */
class HeapSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    String factoryMethod() {
        return "allocateUnpooledSegment";
    }

    @Override
    boolean isOffHeap() {
        return false;
    }
}
