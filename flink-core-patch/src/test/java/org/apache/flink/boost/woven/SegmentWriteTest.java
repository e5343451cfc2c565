// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of a memory segment into a {@code DataOutputSerializer}: as stock's, side by side. */
class SegmentWriteTest {

    private static final String FACTORY = "org.apache.flink.core.memory.MemorySegmentFactory";
    private static final String WRITABLE = "org.apache.flink.core.memory.MemorySegmentWritable";
    private static final String SLICE = "slice";
    private static final String SLICES = "org.apache.flink.boost.sidebyside.RuntimeViews";
    private static final String NONE = "null";
    private static final int SIZE = 300;

    @ParameterizedTest
    @ValueSource(strings = {"allocateUnpooledSegment", "allocateUnpooledOffHeapMemory", SLICE})
    void writesWhatStockWrites(String factory) throws IOException {
        for (int capacity : new int[] {1, 16, 128, 1000}) {
            for (int before : new int[] {0, 1, 7, 16}) {
                for (int off : new int[] {0, 1, 5, 8, 100, SIZE - 1, SIZE}) {
                    for (int len = 0; len <= SIZE - off; len += len < 70 ? 1 : 23) {
                        assertSame(factory, capacity, before, off, len, false);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"allocateUnpooledSegment", "allocateUnpooledOffHeapMemory", SLICE, NONE})
    void failsAsStockFails(String factory) throws IOException {
        int[] odd = {Integer.MIN_VALUE, -1, 0, 1, SIZE - 1, SIZE, SIZE + 1, Integer.MAX_VALUE};
        for (int off : odd) {
            for (int len : odd) {
                if (len <= SIZE) {
                    assertSame(factory, 1000, 3, off, len, false);
                    assertSame(factory, 1000, 3, off, len, true);
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

    private static void assertSame(
            String factory, int capacity, int before, int off, int len, boolean freed)
            throws IOException {
        assertThat(written(FlinkClasses.PATCHED, factory, capacity, before, off, len, freed))
                .as("%s %s %s %s %s %s", factory, capacity, before, off, len, freed)
                .isEqualTo(written(FlinkClasses.STOCK, factory, capacity, before, off, len, freed));
    }

    /** What is thrown, the bytes written, and the length of the array that they are in. */
    private static List<Object> written(
            FlinkClasses flink,
            String factory,
            int capacity,
            int before,
            int off,
            int len,
            boolean freed)
            throws IOException {
        byte[] bytes = new byte[SIZE];
        new Random(SIZE).nextBytes(bytes);
        Object segment = segment(flink, factory);
        if (segment != null) {
            flink.invoke(segment, "put", 0, bytes, 0, SIZE);
        }
        if (segment != null && freed) {
            flink.invoke(segment, "free");
        }
        DataOutput out = flink.newOutput(capacity);
        out.write(new byte[before]);
        String thrown = "";
        try {
            flink.invokeOf(WRITABLE, out, "write", segment, off, len);
        } catch (IOException | RuntimeException e) {
            thrown = e.toString();
        }
        byte[] array = (byte[]) flink.invoke(out, "getSharedBuffer");
        byte[] content = (byte[]) flink.invoke(out, "getCopyOfBuffer");
        return Arrays.asList(thrown, ByteBuffer.wrap(content), array.length);
    }

    private static Object segment(FlinkClasses flink, String factory) throws IOException {
        switch (factory) {
            case NONE:
                return null;
            case SLICE:
                return flink.invokeStatic(SLICES, SLICE, (Object) new byte[SIZE]);
            default:
                return flink.invokeStatic(FACTORY, factory, SIZE, null);
        }
    }
}
