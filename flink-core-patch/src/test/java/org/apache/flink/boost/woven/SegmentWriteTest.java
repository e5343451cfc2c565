// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of a memory segment into a {@code DataOutputSerializer}: as stock's, side by side. */
class SegmentWriteTest {

    private static final int SIZE = 300;

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT", "SLICED_SEGMENT"})
    void writesWhatStockWrites(Input segment) throws IOException {
        for (int capacity : new int[] {1, 16, 128, 1000}) {
            for (int before : new int[] {0, 1, 7, 16}) {
                for (int off : new int[] {0, 1, 5, 8, 100, SIZE - 1, SIZE}) {
                    for (int len = 0; len <= SIZE - off; len += len < 70 ? 1 : 23) {
                        assertSame(segment, capacity, before, off, len, false);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT", "SLICED_SEGMENT", "DESERIALIZER"})
    void failsAsStockFails(Input segmentOrNone) throws IOException {
        int[] odd = {Integer.MIN_VALUE, -1, 0, 1, SIZE - 1, SIZE, SIZE + 1, Integer.MAX_VALUE};
        for (int off : odd) {
            for (int len : odd) {
                if (len <= SIZE) {
                    assertSame(segmentOrNone, 1000, 3, off, len, false);
                    assertSame(segmentOrNone, 1000, 3, off, len, true);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0,300,true", "10,8,true", "10,0,true", "0,301,false", "-1,4,false", "4,-1,false"})
    void doesItselfWhatLiesOnTheHeapAndFits(int off, int len, boolean done) {
        MemorySegment heap = MemorySegmentFactory.wrap(new byte[SIZE]);
        DataOutputSerializer out = new DataOutputSerializer(SIZE);
        assertThat(written(out, heap, off, len)).isEqualTo(done);
        assertThat(out.length()).isEqualTo(done ? len : 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesTheRestToStock(boolean offHeap) {
        MemorySegment segment =
                offHeap
                        ? MemorySegmentFactory.allocateUnpooledOffHeapMemory(SIZE, null)
                        : MemorySegmentFactory.wrap(new byte[SIZE]);
        DataOutputSerializer tooSmall = new DataOutputSerializer(SIZE - 1);
        assertThat(written(tooSmall, segment, 0, SIZE)).isFalse();
        DataOutputSerializer out = new DataOutputSerializer(SIZE);
        assertThat(written(out, segment, 0, SIZE)).isEqualTo(!offHeap);
        segment.free();
        assertThat(written(out, segment, 0, 0)).isFalse();
    }

    private static boolean written(
            DataOutputSerializer out, MemorySegment segment, int off, int len) {
        return DataOutputSerializerPatch.write((DataOutputSerializerMemory) out, segment, off, len);
    }

    private void assertSame(Input view, int capacity, int before, int off, int len, boolean freed)
            throws IOException {
        assertThat(written(patched, view, capacity, before, off, len, freed))
                .as("%s %s %s %s %s %s", view, capacity, before, off, len, freed)
                .isEqualTo(written(stock, view, capacity, before, off, len, freed));
    }

    /** What is thrown, the bytes written, and the length of the array that they are in. */
    private static List<Object> written(
            Codec codec, Input view, int capacity, int before, int off, int len, boolean freed)
            throws IOException {
        byte[] bytes = new byte[SIZE];
        new Random(SIZE).nextBytes(bytes);
        codec.open(view, bytes, 0, SIZE);
        if (freed) {
            codec.free();
        }
        codec.open(Output.SERIALIZER, capacity);
        codec.output().write(new byte[before]);
        String thrown = "";
        try {
            codec.writeSegment(off, len);
        } catch (IOException | RuntimeException e) {
            thrown = e.toString();
        }
        byte[] content = Arrays.copyOf(codec.written(), codec.writtenLength());
        return List.of(thrown, ByteBuffer.wrap(content), codec.written().length);
    }
}
