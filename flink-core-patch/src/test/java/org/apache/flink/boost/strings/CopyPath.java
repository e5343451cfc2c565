// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.flink.boost.sidebyside.ByteSource;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Codec.UserInput;

/** From one kind of input to one kind of output, on either side. */
final class CopyPath {

    /**
     * A kind of input; opened on {@code bytes[start, end)}, it tells the index of its next byte.
     */
    interface Source {
        IntSupplier open(Codec codec, byte[] bytes, int start, int end);
    }

    /** A kind of output; opened with a capacity that is a hint, it tells what was written. */
    interface Target {
        Supplier<byte[]> open(Codec codec, int capacity);
    }

    private final String name;
    private final Source source;
    private final Target target;

    CopyPath(String name, Source source, Target target) {
        this.name = name;
        this.source = source;
        this.target = target;
    }

    /** From every input to every output, views of Flink or not; the first is between arrays. */
    static List<CopyPath> all() {
        List<CopyPath> all = new ArrayList<>();
        for (Input input : Input.values()) {
            addAll(all, input.name(), of(input));
        }
        addAll(all, "SLOW_FOREIGN", of(UserInput.SLOW_FOREIGN));
        addAll(all, "PlainInput", CopyPath::plainInput);
        addAll(all, "DataInputStream", CopyPath::plainStream);
        return all;
    }

    private static void addAll(List<CopyPath> all, String input, Source source) {
        for (Output output : Output.values()) {
            all.add(new CopyPath(input + " to " + output, source, of(output)));
        }
        all.add(new CopyPath(input + " to DataOutputStream", source, CopyPath::plainOutput));
    }

    static Source of(Input input) {
        return (codec, bytes, start, end) -> {
            codec.open(input, bytes, start, end);
            return codec::position;
        };
    }

    static Source of(UserInput input) {
        return (codec, bytes, start, end) -> {
            codec.open(input, bytes, start, end);
            return codec::position;
        };
    }

    static Target of(Output output) {
        return (codec, capacity) -> {
            codec.open(output, capacity);
            return () -> Arrays.copyOf(codec.written(), codec.writtenLength());
        };
    }

    private static IntSupplier plainInput(Codec codec, byte[] bytes, int start, int end) {
        PlainInput input = new PlainInput(bytes, start, end);
        codec.openPlain(input);
        return input::position;
    }

    private static IntSupplier plainStream(Codec codec, byte[] bytes, int start, int end) {
        ByteSource source = new ByteSource(Integer.MAX_VALUE);
        source.open(bytes, start, end);
        codec.openPlain(new DataInputStream(source));
        return source::position;
    }

    /** Nothing but a {@code DataOutput}. */
    static Supplier<byte[]> plainOutput(Codec codec, int capacity) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream(capacity);
        codec.openPlain(new DataOutputStream(stream));
        return stream::toByteArray;
    }

    /** Opens both ends. */
    Ends open(Codec codec, byte[] bytes, int start, int end, int capacity) {
        return new Ends(codec, this, bytes, start, end, capacity);
    }

    @Override
    public String toString() {
        return name;
    }

    /** The open ends of a path. */
    static final class Ends {

        private final Codec codec;
        private final CopyPath path;
        private IntSupplier position;
        private final Supplier<byte[]> written;

        private Ends(Codec codec, CopyPath path, byte[] bytes, int start, int end, int capacity) {
            this.codec = codec;
            this.path = path;
            reopen(bytes, start, end);
            written = path.target.open(codec, capacity);
        }

        /** Another input of the same kind. */
        void reopen(byte[] bytes, int start, int end) {
            position = path.source.open(codec, bytes, start, end);
        }

        void copy() throws IOException {
            codec.copyString();
        }

        /** Index of the input's next byte. */
        int position() {
            return position.getAsInt();
        }

        /** What the output has been given. */
        byte[] written() {
            return written.get();
        }

        /** Size of a serializer's array, or 0. */
        int capacity() {
            return codec.isSerializer() ? codec.written().length : 0;
        }
    }
}
