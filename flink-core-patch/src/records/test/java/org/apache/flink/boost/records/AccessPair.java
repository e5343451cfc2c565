// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** A serializer of stock's, and the generated access for the same records. */
abstract class AccessPair {

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

    String ourRead(byte[] bytes) throws Exception {
        return read(bytes, access()::deserialize);
    }

    /** Holds ours to stock's in all that can be done with the record. */
    void assertSame(Object record) throws Exception {
        byte[] bytes = bytes(record);
        assertThat(ourCopy(record)).isEqualTo(stockCopy(record));
        assertThat(ourWrite(record)).isEqualTo(stockWrite(record));
        assertThat(ourRead(bytes)).isEqualTo(stockRead(bytes));
    }

    private interface Writing {
        void to(DataOutputSerializer out) throws IOException;
    }

    private interface Reading {
        Object from(DataInputDeserializer in) throws IOException;
    }

    private static String written(Writing writing) {
        Witness.reset();
        DataOutputSerializer out = new DataOutputSerializer(1);
        String outcome =
                Outcome.of(
                        () -> {
                            writing.to(out);
                            return "wrote";
                        });
        return outcome + " as " + Arrays.toString(out.getCopyOfBuffer());
    }

    private static String read(byte[] bytes, Reading reading) {
        Witness.reset();
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        String outcome = Outcome.of(() -> ObjectText.of(reading.from(in)));
        return outcome + " and left " + in.available();
    }
}
