// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** What writing a record came to: its bytes, and the class of the exception that it ended with. */
final class Written {

    /** So few of what may be a secret are told. */
    private static final int TOLD_BYTES = 4;

    private static final int FIRST_SIZE = 64;

    /** Filled up to the length: a large record is not copied once more. */
    private final byte[] buffer;

    private final int length;
    private final Class<?> thrown;

    private Written(byte[] buffer, int length, Class<?> thrown) {
        this.buffer = buffer;
        this.length = length;
        this.thrown = thrown;
    }

    /**
     * Writes into a buffer of its own.
     *
     * <p>Where heap or stack are full, nothing is known, and that error is thrown.
     */
    interface Writing {
        void to(DataOutputSerializer out) throws IOException;
    }

    static Written by(Writing writing) {
        DataOutputSerializer out = new DataOutputSerializer(FIRST_SIZE);
        Class<?> thrown = null;
        try {
            writing.to(out);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            // A serializer that only reads may say so by any error.
            thrown = e.getClass();
        }
        return new Written(out.getSharedBuffer(), out.length(), thrown);
    }

    /** By stock's body. */
    static Written byStock(TypeSerializer<Object> serializer, Object record) {
        return byStock(serializer, () -> record);
    }

    /** By stock's body, of a record that is made first. */
    static Written byStock(
            TypeSerializer<Object> serializer, StockRun.Call<Object, IOException> making) {
        return by(
                out -> {
                    Object record = making.run();
                    StockRun.of(
                            () -> {
                                serializer.serialize(record, out);
                                return null;
                            });
                });
    }

    /** What was found as it is. */
    static Written as(byte[] bytes) {
        return new Written(bytes, bytes.length, null);
    }

    /** An end without a byte. */
    static Written failed(Throwable thrown) {
        return new Written(new byte[0], 0, thrown.getClass());
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return Arrays.copyOf(buffer, length);
    }

    void copyTo(DataOutputView out) throws IOException {
        out.write(buffer, 0, length);
    }

    boolean isWhole() {
        return thrown == null;
    }

    boolean equalTo(Written other) {
        return thrown == other.thrown && mismatch(other) < 0;
    }

    /** Index of the first byte that is not there in both. */
    int firstDifference(Written other) {
        int first = mismatch(other);
        return first < 0 ? length : first;
    }

    private int mismatch(Written other) {
        return Arrays.mismatch(buffer, 0, length, other.buffer, 0, other.length);
    }

    /** The bytes from an index on, the first few of them; or how it ended there. */
    String from(int index) {
        StringBuilder text = new StringBuilder();
        for (int i = index; i < Math.min(index + TOLD_BYTES, length); i++) {
            text.append(text.length() == 0 ? "" : " ").append(String.format("%02x", buffer[i]));
        }
        if (text.length() == 0) {
            text.append(thrown == null ? "the end" : thrown.getName());
        }
        return text.toString();
    }
}
