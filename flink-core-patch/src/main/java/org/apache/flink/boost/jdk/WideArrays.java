// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteOrder;

/**
 * Eight, four or two bytes of a {@code byte[]} at a time, least significant byte first.
 *
 * <p>Byte-array views of {@code VarHandle} where the JDK has them (9 and newer), otherwise shifts.
 * Either way an index outside the array throws {@code IndexOutOfBoundsException}. The handles are
 * looked up by reflection because the class must load on Java 8.
 */
public final class WideArrays {

    /** Whether the handles are the JDK's wide ones; false means byte by byte. */
    public static final boolean WIDE;

    private static final MethodHandle GET_LONG;
    private static final MethodHandle PUT_LONG;
    private static final MethodHandle GET_INT;
    private static final MethodHandle PUT_INT;
    private static final MethodHandle PUT_CHAR;

    static {
        MethodHandle[] handles = StringAccess.isPlainRequested() ? null : varHandles();
        WIDE = handles != null;
        if (handles == null) {
            handles = shifts();
        }
        GET_LONG = handles[0];
        PUT_LONG = handles[1];
        GET_INT = handles[2];
        PUT_INT = handles[3];
        PUT_CHAR = handles[4];
    }

    private WideArrays() {}

    /**
     * Eight bytes from an index on.
     *
     * @throws IndexOutOfBoundsException unless all eight lie in the array
     */
    public static long getLong(byte[] array, int index) {
        try {
            return (long) GET_LONG.invokeExact(array, index);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    public static void putLong(byte[] array, int index, long value) {
        try {
            PUT_LONG.invokeExact(array, index, value);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    public static int getInt(byte[] array, int index) {
        try {
            return (int) GET_INT.invokeExact(array, index);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    public static void putInt(byte[] array, int index, int value) {
        try {
            PUT_INT.invokeExact(array, index, value);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    public static void putChar(byte[] array, int index, char value) {
        try {
            PUT_CHAR.invokeExact(array, index, value);
        } catch (Throwable e) {
            throw StringAccess.unchecked(e);
        }
    }

    /** {@code MethodHandles.byteArrayViewVarHandle(…).toMethodHandle(GET | SET)}, by reflection. */
    private static MethodHandle[] varHandles() {
        try {
            Method view =
                    MethodHandles.class.getMethod(
                            "byteArrayViewVarHandle", Class.class, ByteOrder.class);
            Class<?> varHandle = Class.forName("java.lang.invoke.VarHandle");
            Class<?> accessMode = Class.forName("java.lang.invoke.VarHandle$AccessMode");
            Method toHandle = varHandle.getMethod("toMethodHandle", accessMode);
            Method named = accessMode.getMethod("valueOf", String.class);
            Object get = named.invoke(null, "GET");
            Object set = named.invoke(null, "SET");
            Object longs = view.invoke(null, long[].class, ByteOrder.LITTLE_ENDIAN);
            Object ints = view.invoke(null, int[].class, ByteOrder.LITTLE_ENDIAN);
            Object chars = view.invoke(null, char[].class, ByteOrder.LITTLE_ENDIAN);
            return new MethodHandle[] {
                (MethodHandle) toHandle.invoke(longs, get),
                (MethodHandle) toHandle.invoke(longs, set),
                (MethodHandle) toHandle.invoke(ints, get),
                (MethodHandle) toHandle.invoke(ints, set),
                (MethodHandle) toHandle.invoke(chars, set),
            };
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private static MethodHandle[] shifts() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<?> self = WideArrays.class;
            MethodType getLong = MethodType.methodType(long.class, byte[].class, int.class);
            MethodType putLong =
                    MethodType.methodType(void.class, byte[].class, int.class, long.class);
            MethodType getInt = MethodType.methodType(int.class, byte[].class, int.class);
            MethodType putInt =
                    MethodType.methodType(void.class, byte[].class, int.class, int.class);
            MethodType putChar =
                    MethodType.methodType(void.class, byte[].class, int.class, char.class);
            return new MethodHandle[] {
                lookup.findStatic(self, "getLongByShifts", getLong),
                lookup.findStatic(self, "putLongByShifts", putLong),
                lookup.findStatic(self, "getIntByShifts", getInt),
                lookup.findStatic(self, "putIntByShifts", putInt),
                lookup.findStatic(self, "putCharByShifts", putChar),
            };
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long getLongByShifts(byte[] array, int index) {
        return (getIntByShifts(array, index) & 0xFFFFFFFFL)
                | (long) getIntByShifts(array, index + 4) << 32;
    }

    private static void putLongByShifts(byte[] array, int index, long value) {
        putIntByShifts(array, index, (int) value);
        putIntByShifts(array, index + 4, (int) (value >>> 32));
    }

    private static void putCharByShifts(byte[] array, int index, char value) {
        array[index] = (byte) value;
        array[index + 1] = (byte) (value >>> 8);
    }

    private static int getIntByShifts(byte[] array, int index) {
        return (array[index] & 0xFF)
                | (array[index + 1] & 0xFF) << 8
                | (array[index + 2] & 0xFF) << 16
                | array[index + 3] << 24;
    }

    private static void putIntByShifts(byte[] array, int index, int value) {
        array[index] = (byte) value;
        array[index + 1] = (byte) (value >>> 8);
        array[index + 2] = (byte) (value >>> 16);
        array[index + 3] = (byte) (value >>> 24);
    }
}
