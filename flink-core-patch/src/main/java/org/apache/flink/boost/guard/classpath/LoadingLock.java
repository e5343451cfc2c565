// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * The lock that a class loader holds while it loads a class of some name.
 *
 * <p>It looks whether the class is there, reads the file and defines it, and is not asked in
 * between. Whoever defines the class by another way meanwhile makes that a {@link LinkageError} for
 * the thread that loads it, and for the code that named the class, for good.
 */
final class LoadingLock {

    private static final String NAME = "getClassLoadingLock";

    private LoadingLock() {}

    /**
     * That lock.
     *
     * @param loader null is the JVM's own, which takes none and keeps a class that is there
     * @throws ReflectiveOperationException where this JVM shows it to nobody
     */
    static Object of(ClassLoader loader, String className) throws ReflectiveOperationException {
        if (loader == null) {
            return new Object();
        }
        Method method = ClassLoader.class.getDeclaredMethod(NAME, String.class);
        try {
            method.setAccessible(true);
        } catch (RuntimeException closed) {
            // InaccessibleObjectException, or a security manager's.
            return byUnsafe(loader, className);
        }
        return method.invoke(loader, className);
    }

    /** Where java.lang is not opened to us; Flink's own views do not load without Unsafe. */
    static Object byUnsafe(ClassLoader loader, String className)
            throws ReflectiveOperationException {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object unsafe = instance.get(null);
            Field field = Lookup.class.getDeclaredField("IMPL_LOOKUP");
            Object base = type.getMethod("staticFieldBase", Field.class).invoke(unsafe, field);
            Object offset = type.getMethod("staticFieldOffset", Field.class).invoke(unsafe, field);
            Lookup lookup =
                    (Lookup)
                            type.getMethod("getObject", Object.class, long.class)
                                    .invoke(unsafe, base, offset);
            MethodType form = MethodType.methodType(Object.class, String.class);
            return lookup.findVirtual(ClassLoader.class, NAME, form).invoke(loader, className);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new ReflectiveOperationException("no lock of " + loader + ": " + e, e);
        }
    }
}
