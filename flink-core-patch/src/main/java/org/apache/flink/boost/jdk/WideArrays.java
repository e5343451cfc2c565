// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight, four or two bytes of a {@code byte[]} at a time, least significant byte first.
 *
 * <p>An index that is not in the array, or too near to its end, throws {@code
 * IndexOutOfBoundsException}.
 */
public final class WideArrays {

    /** The top bit of each of eight bytes, which ASCII does not have. */
    public static final long TOP_BITS = 0x8080808080808080L;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle CHARS =
            MethodHandles.byteArrayViewVarHandle(char[].class, ByteOrder.LITTLE_ENDIAN);

    private WideArrays() {}

    public static long getLong(byte[] array, int index) {
        return (long) LONGS.get(array, index);
    }

    public static void putLong(byte[] array, int index, long value) {
        LONGS.set(array, index, value);
    }

    public static int getInt(byte[] array, int index) {
        return (int) INTS.get(array, index);
    }

    public static void putInt(byte[] array, int index, int value) {
        INTS.set(array, index, value);
    }

    public static void putChar(byte[] array, int index, char value) {
        CHARS.set(array, index, value);
    }
}
