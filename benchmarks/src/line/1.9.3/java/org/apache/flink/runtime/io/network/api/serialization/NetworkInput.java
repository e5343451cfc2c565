// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.api.serialization;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Access to the view that network records are read with. On this line it is a private class inside
 * the record deserializer, so only reflection gets at it; once per buffer, not per string.
 */
public final class NetworkInput {

    private final DataInputView wrapper;
    private final MethodHandle initialize;

    public NetworkInput() {
        try {
            Class<?> type = wrapperType();
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            Method method =
                    type.getDeclaredMethod(
                            "initializeFromMemorySegment",
                            MemorySegment.class,
                            int.class,
                            int.class);
            method.setAccessible(true);
            wrapper = (DataInputView) constructor.newInstance();
            initialize = MethodHandles.lookup().unreflect(method).bindTo(wrapper);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("This is not the record deserializer of Flink 1.9.", e);
        }
    }

    /** On its own since Flink 1.11, where these benchmarks run as well. */
    private static Class<?> wrapperType() throws ClassNotFoundException {
        Class<?> deserializer = SpillingAdaptiveSpanningRecordDeserializer.class;
        try {
            return Class.forName(deserializer.getPackageName() + ".NonSpanningWrapper");
        } catch (ClassNotFoundException e) {
            return Class.forName(deserializer.getName() + "$NonSpanningWrapper");
        }
    }

    public DataInputView view() {
        return wrapper;
    }

    /** Points the view at the bytes {@code [from, limit)} of a segment. */
    public void point(MemorySegment segment, int from, int limit) {
        try {
            initialize.invokeExact(segment, from, limit);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("The view cannot be pointed at a segment.", e);
        }
    }
}
