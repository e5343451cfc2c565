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
import java.util.concurrent.Callable;
import org.apache.flink.boost.guard.GuardFileSystemFactory;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;

/** A process of Flink's whose first string has too little stack, and what becomes of it. */
public final class FirstStringProbe {

    private static final String TEXT = "caf\u00e9 and more of it";
    private static final byte[] BYTES = Wire.encoded(TEXT);
    private static final byte[] ONE = Wire.encoded("x");
    private static final byte[] LONG = Wire.encoded("x".repeat(5000));

    private FirstStringProbe() {}

    /**
     * Tells the error, and whether strings are as they should be afterwards.
     *
     * @param arguments what comes first
     */
    public static void main(String[] arguments) throws Exception {
        new GuardFileSystemFactory().getScheme();
        // What stock needs is there before.
        new DataOutputSerializer(64).writeInt(new DataInputDeserializer(BYTES).readByte());
        new StringValue().setValue(TEXT);
        Throwable[] end = {null};
        dive(first(arguments[0]), end);
        System.out.println("= " + (end[0] == null ? null : end[0].getClass().getName()));
        for (String name : new String[] {"write", "read", "letter", "copy", "stream", "long"}) {
            System.out.println("= " + name + " " + outcome(first(name)));
        }
    }

    /** Calls it at the end of the stack, and frame by frame further from there. */
    private static void dive(Callable<?> call, Throwable[] end) throws Exception {
        try {
            dive(call, end);
        } catch (StackOverflowError e) {
            end[0] = e;
            call.call();
        }
    }

    private static Object outcome(Callable<?> call) throws Exception {
        try {
            return call.call();
        } catch (Error e) {
            return e;
        }
    }

    private static Callable<?> first(String name) {
        switch (name) {
            case "write":
                return FirstStringProbe::write;
            case "read":
                return () -> StringValue.readString(new DataInputDeserializer(BYTES)).equals(TEXT);
            case "letter":
                return () -> StringValue.readString(new DataInputDeserializer(ONE)).equals("x");
            case "copy":
                return FirstStringProbe::copy;
            case "stream":
                return () -> throughStreams(BYTES);
            case "long":
                return () -> throughStreams(LONG);
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static boolean write() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        StringValue.writeString(TEXT, out);
        return Arrays.equals(out.getCopyOfBuffer(), BYTES);
    }

    private static boolean copy() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        StringValue.copyString(new DataInputDeserializer(BYTES), out);
        return Arrays.equals(out.getCopyOfBuffer(), BYTES);
    }

    private static boolean throughStreams(byte[] bytes) throws IOException {
        DataInput in = new DataInputStream(new ByteArrayInputStream(bytes));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        DataOutput out = new DataOutputStream(written);
        StringValue.writeString(StringValue.readString(in), out);
        return Arrays.equals(written.toByteArray(), bytes);
    }
}
