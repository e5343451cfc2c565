// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

/** Network buffers that are a part of an array, as somebody's own Flink may have them. */
class SlicedSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    String factoryMethod() {
        return NetworkViews.SLICE;
    }

    @Override
    boolean isOffHeap() {
        return false;
    }
}
