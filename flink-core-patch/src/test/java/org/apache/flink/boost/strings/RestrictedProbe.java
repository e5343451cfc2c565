// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;
import org.slf4j.LoggerFactory;

/** Writes, reads and copies strings in a JVM that does not allow everything. */
public final class RestrictedProbe {

    private RestrictedProbe() {}

    /** Says how strings are accessed, once all of them have come back. */
    public static void main(String[] arguments) throws Exception {
        // What stock's views need of the JVM themselves.
        Class.forName("org.apache.flink.core.memory.MemoryUtils");
        LoggerFactory.getLogger(RestrictedProbe.class).debug("loaded");
        String[] texts = {
            "",
            "a",
            "\u00e9",
            "\u6f22",
            "flink",
            "caf\u00e9 au lait",
            "x".repeat(3000),
            "\u0416 and \u6f22".repeat(300)
        };
        for (String text : texts) {
            roundTrip(text);
        }
        System.out.println("= " + BoostMode.ENABLED);
        System.out.println("= " + StringAccess.describe());
    }

    private static void roundTrip(String text) throws IOException {
        byte[] expected = Wire.encoded(text);
        DataOutputSerializer out = new DataOutputSerializer(4);
        StringValue.writeString(text, out);
        require(Arrays.equals(out.getCopyOfBuffer(), expected));
        require(StringValue.readString(new DataInputDeserializer(expected)).equals(text));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StringValue.writeString(text, new DataOutputStream(bytes));
        require(Arrays.equals(bytes.toByteArray(), expected));
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(expected));
        require(StringValue.readString(in).equals(text));
        out.clear();
        StringValue.copyString(new DataInputDeserializer(expected), out);
        require(Arrays.equals(out.getCopyOfBuffer(), expected));
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("a string has changed");
        }
    }
}
