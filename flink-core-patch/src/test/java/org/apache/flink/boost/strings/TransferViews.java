// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The views of flink-core and the JDK, and those that users write, opened on either side. */
public final class TransferViews {

    private static final String MEMORY = "org.apache.flink.core.memory.";
    private static final String TESTS = "org.apache.flink.boost.strings.";

    /** How a kind of source is opened on {@code bytes[start, end)}. */
    public interface Source {

        Input open(FlinkClasses flink, byte[] bytes, int start, int end) throws IOException;
    }

    /** How a kind of target is opened; the capacity is a hint. */
    public interface Target {

        Output open(FlinkClasses flink, int capacity) throws IOException;
    }

    /** An open source and the index of its next byte. */
    public static final class Input {

        private final DataInput view;
        private final IntSupplier position;

        public Input(DataInput view, IntSupplier position) {
            this.view = view;
            this.position = position;
        }

        public DataInput view() {
            return view;
        }

        public IntSupplier position() {
            return position;
        }
    }

    /** An open target, what has been written to it, and the size of its array, or 0. */
    public static final class Output {

        private final DataOutput view;
        private final Supplier<byte[]> bytes;
        private final IntSupplier capacity;

        public Output(DataOutput view, Supplier<byte[]> bytes, IntSupplier capacity) {
            this.view = view;
            this.bytes = bytes;
            this.capacity = capacity;
        }

        public DataOutput view() {
            return view;
        }

        public Supplier<byte[]> bytes() {
            return bytes;
        }

        public IntSupplier capacity() {
            return capacity;
        }
    }

    /** A {@code DataInputDeserializer}. */
    public static final Source ARRAY = TransferViews::array;

    /** A {@code DataInputViewStreamWrapper}. */
    static final Source STREAM = TransferViews::streamWrapper;

    /** A {@code DataInputStream} as such. */
    static final Source PLAIN_STREAM = TransferViews::plainStream;

    /** A stream that gives a few bytes at a time. */
    static final Source TRICKLE = user("UserInput");

    /** A subclass of {@code DataInputDeserializer} that changes nothing. */
    static final Source DERIVED = user("UserArrayInput$Derived");

    /** Nothing but a {@code DataInput}. */
    static final Source PLAIN = user("UserPlainInput");

    /** A {@code DataOutputSerializer}. */
    public static final Target SERIALIZER = TransferViews::serializer;

    private TransferViews() {}

    /** Sources that are a {@code DataInputView}. */
    public static List<Source> sources() {
        return List.of(ARRAY, STREAM, TRICKLE, DERIVED);
    }

    /** A source whose single bytes are not those of its arrays. */
    public static Source tamperingSource() {
        return user("UserArrayInput$Deciphering");
    }

    /** Sources that are only a {@code DataInput}. */
    public static List<Source> plainSources() {
        return List.of(PLAIN_STREAM, PLAIN);
    }

    /** Targets that are a {@code DataOutputView}. */
    public static List<Target> targets() {
        return List.of(SERIALIZER, TransferViews::streamTarget, derived("UserArrayOutput$Derived"));
    }

    /** A target whose single bytes are not those of its arrays. */
    public static Target tamperingTarget() {
        return derived("UserArrayOutput$Ciphering");
    }

    /** Targets that are only a {@code DataOutput}. */
    public static List<Target> plainTargets() {
        return List.of(TransferViews::plainTarget);
    }

    private static Output serializer(FlinkClasses flink, int capacity) {
        return serializer(flink.newOutput(capacity));
    }

    private static Output serializer(DataOutput out) {
        return new Output(
                out,
                () ->
                        Arrays.copyOf(
                                (byte[]) FlinkClasses.field(out, "buffer"),
                                (int) FlinkClasses.field(out, "position")),
                () -> ((byte[]) FlinkClasses.field(out, "buffer")).length);
    }

    private static Input array(FlinkClasses flink, byte[] bytes, int start, int end) {
        DataInput in = flink.newInput(bytes, start, end - start);
        return new Input(in, () -> (int) FlinkClasses.field(in, "position"));
    }

    private static Input streamWrapper(FlinkClasses flink, byte[] bytes, int start, int end) {
        ByteArrayInputStream stream = new ByteArrayInputStream(bytes, start, end - start);
        DataInput in = (DataInput) flink.create(MEMORY + "DataInputViewStreamWrapper", stream);
        return new Input(in, () -> end - stream.available());
    }

    private static Input plainStream(FlinkClasses flink, byte[] bytes, int start, int end) {
        ByteArrayInputStream stream = new ByteArrayInputStream(bytes, start, end - start);
        return new Input(new DataInputStream(stream), () -> end - stream.available());
    }

    private static Source user(String type) {
        return (flink, bytes, start, end) -> {
            DataInput in = (DataInput) flink.create(TESTS + type, bytes, start, end);
            return new Input(in, () -> (int) call(flink, in, "position"));
        };
    }

    private static Target derived(String type) {
        return (flink, capacity) -> serializer((DataOutput) flink.create(TESTS + type, capacity));
    }

    private static Output streamTarget(FlinkClasses flink, int capacity) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream(capacity);
        return new Output(
                (DataOutput) flink.create(MEMORY + "DataOutputViewStreamWrapper", stream),
                stream::toByteArray,
                () -> 0);
    }

    private static Output plainTarget(FlinkClasses flink, int capacity) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream(capacity);
        return new Output(new DataOutputStream(stream), stream::toByteArray, () -> 0);
    }

    private static Object call(FlinkClasses flink, Object receiver, String method) {
        try {
            return flink.invoke(receiver, method);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
