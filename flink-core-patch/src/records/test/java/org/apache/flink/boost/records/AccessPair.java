// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;

/** A serializer of stock's, and the generated access for the same records. */
abstract class AccessPair {

    private static final String NO_MEMORY = OutOfMemoryError.class.getName();

    final TypeSerializer<Object> stock;

    AccessPair(TypeSerializer<Object> stock) {
        this.stock = stock;
    }

    /** The generated access, once it is there. */
    abstract RecordAccess access() throws Exception;

    /** What stock writes for it. */
    byte[] bytes(Object record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        stock.serialize(record, out);
        return out.getCopyOfBuffer();
    }

    String stockCopy(Object record) {
        Witness.reset();
        return Outcome.of(() -> ObjectText.ofCopy(stock.copy(record), record));
    }

    String ourCopy(Object record) throws Exception {
        RecordAccess access = access();
        Witness.reset();
        return Outcome.of(() -> ObjectText.ofCopy(access.copy(record), record));
    }

    String stockWrite(Object record) {
        return written(out -> stock.serialize(record, out));
    }

    String ourWrite(Object record) throws Exception {
        RecordAccess access = access();
        return written(out -> assertThat(access.serialize(record, out)).isTrue());
    }

    String stockRead(byte[] bytes) {
        return read(bytes, stock::deserialize);
    }

    private String stockReadOfNetwork(byte[] bytes) throws ReflectiveOperationException {
        return readOfNetwork(bytes, stock::deserialize);
    }

    String ourRead(byte[] bytes) throws Exception {
        return read(bytes, access()::deserialize);
    }

    private String ourReadOfNetwork(byte[] bytes) throws Exception {
        return readOfNetwork(bytes, access()::deserialize);
    }

    /** Holds ours to stock's in all that can be done with the record. */
    void assertSame(Object record) throws Exception {
        assertSame(record, record);
    }

    /** The same with a record for each, which are not equal where this is to fail. */
    void assertSame(Object ours, Object stocks) throws Exception {
        assertThat(ourCopy(ours)).isEqualTo(stockCopy(stocks));
        assertThat(ourWrite(ours)).isEqualTo(stockWrite(stocks));
        assertSameRead(bytes(ours));
    }

    /** Cut off anywhere: the same value or the same exception. */
    void assertEndsAlike(byte[] bytes) throws Exception {
        for (int length = 0; length < bytes.length; length++) {
            assertEndAlike(Arrays.copyOf(bytes, length));
        }
    }

    /** An array of nearly all memory fits or not by what else is alive just then: a second look. */
    void assertEndAlike(byte[] bytes) throws Exception {
        String ours = ourRead(bytes);
        String stocks = stockRead(bytes);
        if (ours.contains(NO_MEMORY) != stocks.contains(NO_MEMORY)) {
            ours = ourRead(bytes);
            stocks = stockRead(bytes);
        }
        assertThat(ours).isEqualTo(stocks);
    }

    /** Holds ours to stock's in what is read of bytes. */
    void assertSameRead(byte[] bytes) throws Exception {
        assertThat(ourRead(bytes)).isEqualTo(stockRead(bytes));
        assertThat(ourReadOfNetwork(bytes)).isEqualTo(stockReadOfNetwork(bytes));
    }

    private interface Writing {
        void to(DataOutputSerializer out) throws IOException;
    }

    private interface Reading {
        Object from(DataInputView in) throws IOException;
    }

    /** Into an array that has to grow, and into one that takes it all. */
    private static String written(Writing writing) {
        return written(writing, 1) + "\n" + written(writing, 1024);
    }

    private static String written(Writing writing, int size) {
        Witness.reset();
        DataOutputSerializer out = new DataOutputSerializer(size);
        String outcome =
                Outcome.of(
                        () -> {
                            writing.to(out);
                            return "wrote";
                        });
        return outcome + " as " + Arrays.toString(out.getCopyOfBuffer());
    }

    private static String read(byte[] bytes, Reading reading) {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        return read(in, reading) + " and left " + in.available();
    }

    /** On the heap and beside it. */
    private static String readOfNetwork(byte[] bytes, Reading reading)
            throws ReflectiveOperationException {
        String all = "";
        for (MemorySegment segment :
                new MemorySegment[] {
                    MemorySegmentFactory.allocateUnpooledSegment(bytes.length),
                    MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length)
                }) {
            segment.put(0, bytes);
            DataInputView in = RecordPatchesTest.networkView(segment, 0, bytes.length);
            all += read(in, reading) + " up to " + ((SegmentInput) in).boostPosition() + "\n";
        }
        return all;
    }

    private static String read(DataInputView in, Reading reading) {
        Witness.reset();
        return Outcome.of(() -> ObjectText.of(reading.from(in)));
    }
}
