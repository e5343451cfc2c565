// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.woven.BufferBuilderMemory.PositionMemory;

/** {@code VarHandle.setRelease} on the position of a {@code BufferBuilder}. */
final class ReleaseStore implements PositionStore {

    private static final String MARKER =
            "org.apache.flink.runtime.io.network.buffer.BufferBuilder$SettablePositionMarker";

    private static final MethodHandle STORE = lookUp();

    private ReleaseStore() {}

    static PositionStore orElse(PositionStore other) {
        return STORE == null ? other : new ReleaseStore();
    }

    @Override
    public void show(PositionMemory position, int bytes) {
        try {
            STORE.invokeExact((Object) position, bytes);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    /** The store as (Object, int), because Flink keeps the class to itself; null where denied. */
    private static MethodHandle lookUp() {
        try {
            Class<?> marker = Class.forName(MARKER, false, ReleaseStore.class.getClassLoader());
            return MethodHandles.privateLookupIn(marker, MethodHandles.lookup())
                    .findVarHandle(marker, "position", int.class)
                    .toMethodHandle(VarHandle.AccessMode.SET_RELEASE)
                    .asType(MethodType.methodType(void.class, Object.class, int.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
