// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.flink.boost.string.StringAccess;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Bytes go into a buffer at once, or nothing happens. */
class BufferAppendTest {

    @Test
    void storesByReleaseUnlessAskedNotTo() {
        assertThat(PositionStore.RELEASE instanceof ReleaseStore)
                .isNotEqualTo(StringAccess.isPlainRequested());
    }

    @Nested
    class ByAVolatileStore extends Cases {
        ByAVolatileStore() {
            super(PositionStore.VOLATILE);
        }
    }

    @Nested
    class ByAReleaseStore extends Cases {
        ByAReleaseStore() {
            super(PositionStore.RELEASE);
        }
    }

    abstract static class Cases {

        private final PositionStore store;
        private final BufferBuilder buffer =
                new BufferBuilder(
                        MemorySegmentFactory.wrap(new byte[20]), FreeingBufferRecycler.INSTANCE);
        private final BufferConsumer consumer = buffer.createBufferConsumer();

        Cases(PositionStore store) {
            this.store = store;
        }

        @Test
        void appendsWhatLeavesRoomAndShowsItToTheReader() {
            ByteBuffer source = ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 9}, 1, 3);
            assertThat(BufferAppend.leavesRoom(buffer, source, store)).isTrue();
            assertThat(source.hasRemaining()).isFalse();
            assertThat(source.position()).isEqualTo(4);
            assertThat(shown()).containsExactly(1, 2, 3);
        }

        /** A slice begins somewhere in its array. */
        @Test
        void appendsASlice() {
            ByteBuffer whole = ByteBuffer.wrap(new byte[] {9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9});
            whole.position(2);
            ByteBuffer slice = whole.slice();
            slice.limit(8);
            assertThat(BufferAppend.leavesRoom(buffer, slice, store)).isTrue();
            assertThat(shown()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }

        @Test
        void leavesABufferToStockThatWouldBeFull() {
            for (int size : new int[] {20, 21}) {
                ByteBuffer source = ByteBuffer.allocate(size);
                assertThat(BufferAppend.leavesRoom(buffer, source, store)).isFalse();
                assertThat(source.remaining()).isEqualTo(size);
            }
            assertThat(shown()).isEmpty();
        }

        @Test
        void leavesAFinishedBufferToStock() {
            buffer.finish();
            assertThat(BufferAppend.leavesRoom(buffer, ByteBuffer.allocate(4), store)).isFalse();
        }

        @Test
        void leavesABufferToStockThatIsFinishedWithSomethingInIt() {
            assertThat(BufferAppend.leavesRoom(buffer, ByteBuffer.allocate(4), store)).isTrue();
            assertThat(buffer.finish()).isEqualTo(4);
            assertThat(BufferAppend.leavesRoom(buffer, ByteBuffer.allocate(4), store)).isFalse();
        }

        @Test
        void leavesASourceWithoutAnArrayToStock() {
            ByteBuffer direct = ByteBuffer.allocateDirect(4);
            assertThat(BufferAppend.leavesRoom(buffer, direct, store)).isFalse();
            assertThat(
                            BufferAppend.leavesRoom(
                                    buffer, ByteBuffer.allocate(4).asReadOnlyBuffer(), store))
                    .isFalse();
            assertThat(direct.remaining()).isEqualTo(4);
        }

        private byte[] shown() {
            Buffer built = consumer.build();
            byte[] bytes = new byte[built.readableBytes()];
            built.getNioBufferReadable().get(bytes);
            return bytes;
        }
    }
}
