// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes go into a buffer at once, or nothing happens. */
class BufferAppendTest {

    @Test
    void storesByRelease() {
        assertThat(PositionStore.RELEASE).isInstanceOf(ReleaseStore.class);
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
        private final BufferBuilder buffer = newBuffer(20);
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

        /** Records of eight bytes take a way of their own, those beside them do not. */
        @Test
        void appendsFramedRecordsOfAllSizesAtAllPlaces() {
            for (int size = 0; size <= 17; size++) {
                byte[] frame = frame(size, size * 0x0123456789ABCDEFL);
                for (int place = 0; place <= 9; place++) {
                    BufferBuilder larger = newBuffer(64);
                    BufferConsumer reader = larger.createBufferConsumer();
                    append(larger, ByteBuffer.wrap(new byte[place]));
                    append(larger, ByteBuffer.wrap(frame));
                    append(larger, ByteBuffer.wrap(new byte[] {1}));
                    assertThat(shown(reader))
                            .isEqualTo(joined(new byte[place], frame, new byte[] {1}));
                }
            }
        }

        /** Of which some has been copied to another buffer. */
        @Test
        void appendsTheRestOfARecordOfEightBytes() {
            byte[] frame = frame(8, 0x0807060504030201L);
            for (int copied = 1; copied < frame.length; copied++) {
                BufferBuilder next = newBuffer(20);
                BufferConsumer reader = next.createBufferConsumer();
                ByteBuffer source = ByteBuffer.wrap(frame);
                source.position(copied);
                append(next, source);
                assertThat(shown(reader)).isEqualTo(Arrays.copyOfRange(frame, copied, 12));
            }
        }

        @Test
        void leavesARecordOfEightBytesToStockThatWouldFillTheBuffer() {
            append(buffer, ByteBuffer.wrap(new byte[8]));
            ByteBuffer source = ByteBuffer.wrap(frame(8, 1));
            assertThat(BufferAppend.leavesRoom(buffer, source, store)).isFalse();
            assertThat(source.remaining()).isEqualTo(12);
            assertThat(shown()).containsExactly(new byte[8]);
        }

        /** The position never comes before the bytes, whoever looks from another thread. */
        @Test
        @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void showsWholeRecordsToAnotherThread() throws Exception {
            int records = 20_000;
            for (int round = 0; round < 20; round++) {
                BufferBuilder shared = newBuffer(12 * records + 1);
                BufferConsumer reader = shared.createBufferConsumer();
                Thread writer =
                        new Thread(
                                () -> {
                                    for (int i = 0; i < records; i++) {
                                        append(shared, ByteBuffer.wrap(frame(8, ~i)));
                                    }
                                });
                writer.start();
                int seen = 0;
                while (seen < records) {
                    ByteBuffer bytes = ByteBuffer.wrap(shown(reader));
                    for (; bytes.hasRemaining(); seen++) {
                        assertThat(bytes.getInt()).isEqualTo(8);
                        assertThat(bytes.getLong()).isEqualTo(~seen);
                    }
                }
                writer.join();
            }
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

        private void append(BufferBuilder target, ByteBuffer source) {
            assertThat(BufferAppend.leavesRoom(target, source, store)).isTrue();
            assertThat(source.hasRemaining()).isFalse();
        }

        private byte[] shown() {
            return shown(consumer);
        }

        private byte[] shown(BufferConsumer reader) {
            Buffer built = reader.build();
            byte[] bytes = new byte[built.readableBytes()];
            built.getNioBufferReadable().get(bytes);
            return bytes;
        }
    }

    /** Off-heap, as Flink's network buffers are. */
    private static BufferBuilder newBuffer(int size) {
        return new BufferBuilder(
                MemorySegmentFactory.allocateUnpooledOffHeapMemory(size, null),
                FreeingBufferRecycler.INSTANCE);
    }

    /** The length of a record and, behind it, the record, which begins with a word. */
    private static byte[] frame(int size, long word) {
        ByteBuffer record = ByteBuffer.allocate(Math.max(size, Long.BYTES)).putLong(0, word);
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + size).putInt(size);
        return frame.put(record.array(), 0, size).array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(p -> p.length).sum());
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }
}
