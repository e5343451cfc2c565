// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.woven.SettablePositionMarkerMemory;

/**
 * {@code VarHandle.setRelease} on the position of a {@code BufferBuilder}. The handle is looked up
 * by reflection because the class must load on Java 8, which has none.
 */
final class ReleaseStore implements PositionStore {

    private static final String MARKER =
            "org.apache.flink.runtime.io.network.buffer.BufferBuilder$SettablePositionMarker";

    private static final MethodHandle STORE = StringAccess.isPlainRequested() ? null : lookUp();

    private ReleaseStore() {}

    static PositionStore orElse(PositionStore other) {
        return STORE == null ? other : new ReleaseStore();
    }

    @Override
    public void show(SettablePositionMarkerMemory position, int bytes) {
        try {
            STORE.invokeExact((Object) position, bytes);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    /** {@code privateLookupIn(MARKER).findVarHandle("position")}, as (Object, int); or null. */
    private static MethodHandle lookUp() {
        try {
            Class<?> marker = Class.forName(MARKER, false, ReleaseStore.class.getClassLoader());
            Class<?> varHandle = Class.forName("java.lang.invoke.VarHandle");
            Class<?> accessMode = Class.forName("java.lang.invoke.VarHandle$AccessMode");
            Object lookup =
                    MethodHandles.class
                            .getMethod("privateLookupIn", Class.class, MethodHandles.Lookup.class)
                            .invoke(null, marker, MethodHandles.lookup());
            Object position =
                    MethodHandles.Lookup.class
                            .getMethod("findVarHandle", Class.class, String.class, Class.class)
                            .invoke(lookup, marker, "position", int.class);
            Object release =
                    accessMode.getMethod("valueOf", String.class).invoke(null, "SET_RELEASE");
            MethodHandle store =
                    (MethodHandle)
                            varHandle
                                    .getMethod("toMethodHandle", accessMode)
                                    .invoke(position, release);
            return store.asType(MethodType.methodType(void.class, Object.class, int.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
