// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.boost.woven.BufferBuilderMemory.PositionMemory;
import org.junit.jupiter.api.Test;

/** What the store throws comes to the caller as it is, not inside another error. */
class ReleaseStoreTest {

    @Test
    void whatTheHandleThrowsPassesAsItIs() {
        PositionStore store = ReleaseStore.orElse(null);

        assertThatThrownBy(() -> store.show(null, 1))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasNoCause();
        PositionMemory foreign = new Foreign();
        assertThatThrownBy(() -> store.show(foreign, 1))
                .isExactlyInstanceOf(ClassCastException.class)
                .hasNoCause();
    }

    /** None of Flink's. */
    private static final class Foreign implements PositionMemory {

        @Override
        public int boostWritten() {
            return 0;
        }

        @Override
        public void boostWritten(int bytes) {
            throw new AssertionError("the store is not told so");
        }

        @Override
        public void boostCommit() {
            throw new AssertionError("it is for the reader");
        }
    }
}
