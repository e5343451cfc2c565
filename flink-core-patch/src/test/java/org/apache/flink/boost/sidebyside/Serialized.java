// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.lang.reflect.Constructor;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** What the serializers that write any object make of one. */
public final class Serialized {

    /** The settings moved there out of {@code ExecutionConfig} in Flink 2. */
    private static final String SETTINGS =
            "org.apache.flink.api.common.serialization.SerializerConfigImpl";

    private Serialized() {}

    /** The bytes of the {@code KryoSerializer} of this class's own loader. */
    static byte[] byKryo(Object object) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Where Flink finds Avro by the thread's loader, it wants it of the serializer's own.
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            kryoSerializer(object.getClass()).serialize(object, out);
        } finally {
            thread.setContextClassLoader(before);
        }
        return out.getCopyOfBuffer();
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> kryoSerializer(Class<?> type) {
        try {
            Object settings = settings();
            for (Constructor<?> constructor : KryoSerializer.class.getConstructors()) {
                Class<?>[] parameters = constructor.getParameterTypes();
                if (parameters.length == 2 && parameters[1].isInstance(settings)) {
                    return (TypeSerializer<Object>) constructor.newInstance(type, settings);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no constructor of KryoSerializer takes settings");
    }

    private static Object settings() throws ReflectiveOperationException {
        try {
            return Class.forName(SETTINGS).getConstructor().newInstance();
        } catch (ClassNotFoundException e) {
            return new ExecutionConfig();
        }
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
