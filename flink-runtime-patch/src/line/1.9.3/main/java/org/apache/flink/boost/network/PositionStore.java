// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import org.apache.flink.boost.woven.BufferBuilderMemory.PositionMemory;

/** How what has been written to a network buffer is made visible to its reader. */
public interface PositionStore {

    /**
     * Flink's own: a volatile store, which waits until all that has been written before it is
     * visible.
     */
    PositionStore VOLATILE = (position, bytes) -> position.boostCommit();

    /**
     * One that does not wait, where the JDK has it: the reader sees the position after the bytes,
     * but maybe not at once. For all stores of a series but the last, and for records that the
     * reader may just as well see when the memory is there: whoever flushes takes a lock.
     */
    PositionStore RELEASE = ReleaseStore.orElse(VOLATILE);

    /**
     * Makes bytes visible.
     *
     * @param position that of the buffer, whose {@code boostWritten} has been set
     * @param bytes the same number
     */
    void show(PositionMemory position, int bytes);
}
