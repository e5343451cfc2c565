// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

/** Network buffers as Flink allocates them: off-heap. */
class OffHeapSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    String factoryMethod() {
        return "allocateUnpooledOffHeapMemory";
    }

    @Override
    boolean isOffHeap() {
        return true;
    }
}
