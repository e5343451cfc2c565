// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;

/** What the serializers that write any object make of one. */
public final class Serialized {

    private static final String KRYO =
            "org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer";

    private Serialized() {}

    /** The bytes of one side's {@code KryoSerializer}, which is given the object's own class. */
    public static byte[] byKryo(FlinkClasses flink, Object object) throws IOException {
        // The settings moved out of ExecutionConfig in Flink 2.
        String settings = "org.apache.flink.api.common.serialization.SerializerConfigImpl";
        Object config =
                flink.create(
                        flink.has(settings)
                                ? settings
                                : "org.apache.flink.api.common.ExecutionConfig");
        Object serializer = flink.create(KRYO, object.getClass(), config);
        DataOutput out = flink.newOutput(256);
        flink.invoke(serializer, "serialize", object, out);
        return Arrays.copyOf(
                (byte[]) FlinkClasses.field(out, "buffer"),
                (int) FlinkClasses.field(out, "position"));
    }

    /** The bytes of Java serialization. */
    public static byte[] byJava(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }
}
