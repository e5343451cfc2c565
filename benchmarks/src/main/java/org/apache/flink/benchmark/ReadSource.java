// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.ByteArrayInputStreamWithPos;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.NetworkInput;

/**
 * Something that strings are read from: one input and the buffers that it is pointed at in turn, as
 * the network stack does. The buffers are copies: no two sources share memory.
 */
final class ReadSource {

    /** Late not ASCII, so that ASCII was expected. */
    private static final byte[] OTHER_TEXT =
            ReferenceEncoding.encode(String.join("", Collections.nCopies(199, "x")) + '\u0416');

    private final DataInput input;
    private final IntConsumer selection;

    private ReadSource(DataInput input, IntConsumer selection) {
        this.input = input;
        this.selection = selection;
    }

    /** What is read from; always the same object. */
    DataInput input() {
        return input;
    }

    /** Points the input at the start of that buffer. */
    void select(int buffer) {
        selection.accept(buffer);
    }

    /** The source that the parameter {@code view} of a read or copy benchmark names. */
    static ReadSource named(String view, List<byte[]> buffers) {
        switch (view) {
            case "network":
                return offHeapNetwork(buffers);
            case "network-used":
                return usedNetwork(buffers);
            case "network-heap":
                return heapNetwork(buffers);
            case "deserializer":
                return deserializer(buffers);
            case "stream":
                return stream(buffers);
            default:
                throw new IllegalArgumentException(
                        "Unknown view '"
                                + view
                                + "' for reading; choose network, network-used, network-heap,"
                                + " deserializer or stream");
        }
    }

    /** Memory as Flink's {@code NetworkBufferPool} allocates it. */
    static ReadSource offHeapNetwork(List<byte[]> buffers) {
        return network(
                buffers, size -> MemorySegmentFactory.allocateUnpooledOffHeapMemory(size, null));
    }

    /** A channel that has read other text once: it keeps what it made for that. */
    private static ReadSource usedNetwork(List<byte[]> buffers) {
        List<byte[]> all = new ArrayList<>(buffers);
        all.add(OTHER_TEXT);
        ReadSource source = offHeapNetwork(all);
        source.select(buffers.size());
        try {
            StringSerializer.INSTANCE.deserialize((DataInputView) source.input());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return source;
    }

    /** The same view on the heap, where a record lies after it was copied out of network memory. */
    static ReadSource heapNetwork(List<byte[]> buffers) {
        return network(buffers, MemorySegmentFactory::allocateUnpooledSegment);
    }

    /** What a record that spans network buffers, and most state, is read with. */
    static ReadSource deserializer(List<byte[]> buffers) {
        DataInputDeserializer input = new DataInputDeserializer();
        return onArrays(input, bytes -> input.setBuffer(bytes, 0, bytes.length), buffers);
    }

    /** What checkpoints and savepoints are read with. */
    static ReadSource stream(List<byte[]> buffers) {
        ByteArrayInputStreamWithPos stream = new ByteArrayInputStreamWithPos();
        return onArrays(
                new DataInputViewStreamWrapper(stream),
                bytes -> stream.setBuffer(bytes, 0, bytes.length),
                buffers);
    }

    /** Java's own stream: a {@code DataInput} that is no Flink view. */
    static ReadSource javaStream(List<byte[]> buffers) {
        RewindableStream stream = new RewindableStream();
        return onArrays(new DataInputStream(stream), stream::rewindTo, buffers);
    }

    /** A view that neither Flink nor the patches know, as connectors and formats bring along. */
    static ReadSource foreign(List<byte[]> buffers) {
        RewindableStream stream = new RewindableStream();
        return onArrays(new ForeignView(stream), stream::rewindTo, buffers);
    }

    private static ReadSource network(List<byte[]> buffers, IntFunction<MemorySegment> memory) {
        MemorySegment[] segments =
                buffers.stream()
                        .map(
                                bytes -> {
                                    MemorySegment segment = memory.apply(bytes.length);
                                    segment.put(0, bytes);
                                    return segment;
                                })
                        .toArray(MemorySegment[]::new);
        NetworkInput network = new NetworkInput();
        return new ReadSource(
                network.view(), i -> network.point(segments[i], 0, segments[i].size()));
    }

    private static ReadSource onArrays(
            DataInput input, Consumer<byte[]> pointer, List<byte[]> buffers) {
        byte[][] copies = buffers.stream().map(byte[]::clone).toArray(byte[][]::new);
        return new ReadSource(input, i -> pointer.accept(copies[i]));
    }

    private static final class RewindableStream extends ByteArrayInputStream {
        RewindableStream() {
            super(new byte[0]);
        }

        void rewindTo(byte[] bytes) {
            buf = bytes;
            pos = 0;
            count = bytes.length;
        }
    }

    private static final class ForeignView extends DataInputStream implements DataInputView {
        ForeignView(RewindableStream in) {
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
