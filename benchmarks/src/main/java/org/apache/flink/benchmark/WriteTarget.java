// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;

/** Something that strings are written to: one of Flink's views, or a stream that is not Flink's. */
abstract class WriteTarget {

    /** What is written to; always the same object. */
    abstract DataOutput output();

    /** Starts again at the beginning, keeping the memory. */
    abstract void clear();

    /** A copy of what was written since {@link #clear}. */
    abstract byte[] written();

    /** The target that the parameter {@code view} of a write benchmark names. */
    static WriteTarget named(String view, int capacity) {
        switch (view) {
            case "serializer":
                return new Serializer(capacity);
            case "stream":
                return new Stream(capacity);
            default:
                throw new IllegalArgumentException(
                        "Unknown view '" + view + "' for writing; choose serializer or stream");
        }
    }

    /** What every network record and most state is written with. */
    static final class Serializer extends WriteTarget {
        private final DataOutputSerializer output;

        Serializer(int capacity) {
            output = new DataOutputSerializer(capacity);
        }

        @Override
        DataOutput output() {
            return output;
        }

        @Override
        void clear() {
            output.clear();
        }

        @Override
        byte[] written() {
            return output.getCopyOfBuffer();
        }
    }

    /** What checkpoints and savepoints are written with. */
    static final class Stream extends WriteTarget {
        private final ByteArrayOutputStream bytes;
        private final DataOutputViewStreamWrapper output;

        Stream(int capacity) {
            bytes = new ByteArrayOutputStream(capacity);
            output = new DataOutputViewStreamWrapper(bytes);
        }

        @Override
        DataOutput output() {
            return output;
        }

        @Override
        void clear() {
            bytes.reset();
        }

        @Override
        byte[] written() {
            return bytes.toByteArray();
        }
    }

    /** Java's own stream: a {@code DataOutput} that is no Flink view. */
    static final class JavaStream extends WriteTarget {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream output = new DataOutputStream(bytes);

        @Override
        DataOutput output() {
            return output;
        }

        @Override
        void clear() {
            bytes.reset();
        }

        @Override
        byte[] written() {
            return bytes.toByteArray();
        }
    }

    /** A view that neither Flink nor the patches know, as connectors and formats bring along. */
    static final class Foreign extends WriteTarget {
        private final ForeignView output = new ForeignView();

        @Override
        DataOutput output() {
            return output;
        }

        @Override
        void clear() {
            output.position = 0;
        }

        @Override
        byte[] written() {
            return Arrays.copyOf(output.bytes, output.position);
        }
    }

    private static final class ForeignView extends DataOutputStream implements DataOutputView {
        private byte[] bytes = new byte[256];
        private int position;

        ForeignView() {
            super(java.io.OutputStream.nullOutputStream());
        }

        @Override
        public synchronized void write(int b) {
            if (position == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            bytes[position++] = (byte) b;
        }

        @Override
        public synchronized void write(byte[] source, int offset, int length) {
            while (bytes.length - position < length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            System.arraycopy(source, offset, bytes, position, length);
            position += length;
        }

        @Override
        public void skipBytesToWrite(int numBytes) throws IOException {
            for (int i = 0; i < numBytes; i++) {
                write(0);
            }
        }

        @Override
        public void write(DataInputView source, int numBytes) throws IOException {
            byte[] chunk = new byte[numBytes];
            source.readFully(chunk);
            write(chunk, 0, numBytes);
        }
    }
}
