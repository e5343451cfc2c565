// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;

/** Something that strings are written to: one of Flink's views, or a stream that is not Flink's. */
final class WriteTarget {

    private final DataOutput output;
    private final Runnable clearing;
    private final Supplier<byte[]> copy;

    private WriteTarget(DataOutput output, Runnable clearing, Supplier<byte[]> copy) {
        this.output = output;
        this.clearing = clearing;
        this.copy = copy;
    }

    /** What is written to; always the same object. */
    DataOutput output() {
        return output;
    }

    /** Starts again at the beginning, keeping the memory. */
    void clear() {
        clearing.run();
    }

    /** A copy of what was written since {@link #clear}. */
    byte[] written() {
        return copy.get();
    }

    /**
     * The target that the parameter {@code view} of a write benchmark names.
     *
     * @param capacity in bytes, at the start
     */
    static WriteTarget named(String view, int capacity) {
        switch (view) {
            case "serializer":
                return serializer(capacity);
            case "stream":
                return stream(capacity);
            default:
                throw new IllegalArgumentException(
                        "Unknown view '" + view + "' for writing; choose serializer or stream");
        }
    }

    /** What every network record and most state is written with. */
    static WriteTarget serializer(int capacity) {
        DataOutputSerializer output = new DataOutputSerializer(capacity);
        return new WriteTarget(output, output::clear, output::getCopyOfBuffer);
    }

    /** What checkpoints and savepoints are written with. */
    static WriteTarget stream(int capacity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(capacity);
        return onStream(new DataOutputViewStreamWrapper(bytes), bytes);
    }

    /** Java's own stream: a {@code DataOutput} that is no Flink view. */
    static WriteTarget javaStream() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return onStream(new DataOutputStream(bytes), bytes);
    }

    /** A view that neither Flink nor the patches know, as connectors and formats bring along. */
    static WriteTarget foreign() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return onStream(new ForeignView(bytes), bytes);
    }

    private static WriteTarget onStream(DataOutput output, ByteArrayOutputStream bytes) {
        return new WriteTarget(output, bytes::reset, bytes::toByteArray);
    }

    private static final class ForeignView extends DataOutputStream implements DataOutputView {
        ForeignView(ByteArrayOutputStream bytes) {
            super(bytes);
        }

        @Override
        public void skipBytesToWrite(int numBytes) throws IOException {
            write(new byte[numBytes]);
        }

        @Override
        public void write(DataInputView source, int numBytes) throws IOException {
            byte[] chunk = new byte[numBytes];
            source.readFully(chunk);
            write(chunk);
        }
    }
}
