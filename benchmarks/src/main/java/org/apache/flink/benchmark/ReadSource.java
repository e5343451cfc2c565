// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.flink.core.memory.ByteArrayInputStreamWithPos;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.NetworkInput;

/**
 * Something that strings are read from: one view and the buffers that it is pointed at in turn, as
 * the network stack does with its input.
 */
abstract class ReadSource {

    /** What is read from; always the same object. */
    abstract DataInput input();

    /** Points the input at the start of that buffer. */
    abstract void select(int buffer);

    /** The source that the parameter {@code view} of a read benchmark names. */
    static ReadSource named(String view, List<byte[]> buffers) {
        switch (view) {
            case "network":
                return offHeapNetwork(buffers);
            case "network-heap":
                return heapNetwork(buffers);
            case "deserializer":
                return new Deserializer(buffers);
            case "stream":
                return new Stream(buffers);
            default:
                throw new IllegalArgumentException(
                        "Unknown view '"
                                + view
                                + "' for reading; choose network, network-heap, deserializer or"
                                + " stream");
        }
    }

    /** Memory as Flink's {@code NetworkBufferPool} allocates it. */
    static ReadSource offHeapNetwork(List<byte[]> buffers) {
        return new Network(
                buffers, size -> MemorySegmentFactory.allocateUnpooledOffHeapMemory(size, null));
    }

    /** The same view on the heap, where a record lies after it was copied out of network memory. */
    static ReadSource heapNetwork(List<byte[]> buffers) {
        return new Network(buffers, MemorySegmentFactory::allocateUnpooledSegment);
    }

    private static final class Network extends ReadSource {
        private final NetworkInput network = new NetworkInput();
        private final MemorySegment[] segments;

        Network(List<byte[]> buffers, IntFunction<MemorySegment> memory) {
            segments = new MemorySegment[buffers.size()];
            for (int i = 0; i < segments.length; i++) {
                byte[] bytes = buffers.get(i);
                segments[i] = memory.apply(bytes.length);
                segments[i].put(0, bytes);
            }
        }

        @Override
        DataInput input() {
            return network.view();
        }

        @Override
        void select(int buffer) {
            network.point(segments[buffer], 0, segments[buffer].size());
        }
    }

    /** What a record that spans network buffers, and most state, is read with. */
    static final class Deserializer extends ReadSource {
        private final DataInputDeserializer input = new DataInputDeserializer();
        private final byte[][] buffers;

        Deserializer(List<byte[]> buffers) {
            this.buffers = copies(buffers);
        }

        @Override
        DataInput input() {
            return input;
        }

        @Override
        void select(int buffer) {
            input.setBuffer(buffers[buffer], 0, buffers[buffer].length);
        }
    }

    /** What checkpoints and savepoints are read with. */
    static final class Stream extends ReadSource {
        private final ByteArrayInputStreamWithPos bytes = new ByteArrayInputStreamWithPos();
        private final DataInputViewStreamWrapper input = new DataInputViewStreamWrapper(bytes);
        private final byte[][] buffers;

        Stream(List<byte[]> buffers) {
            this.buffers = copies(buffers);
        }

        @Override
        DataInput input() {
            return input;
        }

        @Override
        void select(int buffer) {
            bytes.setBuffer(buffers[buffer], 0, buffers[buffer].length);
        }
    }

    /** Java's own stream: a {@code DataInput} that is no Flink view. */
    static final class JavaStream extends ReadSource {
        private final ReusableStream bytes = new ReusableStream();
        private final DataInputStream input = new DataInputStream(bytes);
        private final byte[][] buffers;

        JavaStream(List<byte[]> buffers) {
            this.buffers = copies(buffers);
        }

        @Override
        DataInput input() {
            return input;
        }

        @Override
        void select(int buffer) {
            bytes.rewindTo(buffers[buffer]);
        }
    }

    /** A view that neither Flink nor the patches know, as connectors and formats bring along. */
    static final class Foreign extends ReadSource {
        private final ReusableStream bytes = new ReusableStream();
        private final ForeignView input = new ForeignView(bytes);
        private final byte[][] buffers;

        Foreign(List<byte[]> buffers) {
            this.buffers = copies(buffers);
        }

        @Override
        DataInput input() {
            return input;
        }

        @Override
        void select(int buffer) {
            bytes.rewindTo(buffers[buffer]);
        }
    }

    private static byte[][] copies(List<byte[]> buffers) {
        return buffers.stream().map(byte[]::clone).toArray(byte[][]::new);
    }

    private static final class ReusableStream extends ByteArrayInputStream {
        ReusableStream() {
            super(new byte[0]);
        }

        void rewindTo(byte[] bytes) {
            buf = bytes;
            pos = 0;
            count = bytes.length;
        }
    }

    private static final class ForeignView extends DataInputStream implements DataInputView {
        ForeignView(ByteArrayInputStream in) {
            super(in);
        }

        @Override
        public void skipBytesToRead(int numBytes) throws IOException {
            if (skipBytes(numBytes) < numBytes) {
                throw new EOFException();
            }
        }
    }
}
