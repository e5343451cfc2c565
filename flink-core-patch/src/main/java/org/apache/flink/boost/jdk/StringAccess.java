// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The insides of {@code java.lang.String} with compact strings (JEP 254): its bytes, its coder, and
 * the constructor that takes both without a copy.
 *
 * <p>Chosen once, when the class is initialised. They are used only if {@code java.lang} is opened
 * to us ({@code --add-opens=java.base/java.lang=ALL-UNNAMED}, part of Flink's own configuration),
 * the machine is little-endian, compact strings are on, and a self-test over strings of every kind
 * passes. Otherwise {@link #OPENED} is false, {@link #describe} says why, and only public methods
 * of {@code String} are used.
 *
 * <p>The JDK's own check for ASCII is apart from that: where a JDK does not have it, or with {@code
 * -Dflink.boost.access=words}, words of eight bytes are checked instead.
 */
public final class StringAccess {

    /** Whether {@link #value}, {@link #coder} and {@link #newString} may be called. */
    public static final boolean OPENED;

    /** One byte per character, all up to 0xFF. */
    public static final byte LATIN1 = 0;

    /** Two bytes per character, in the byte order of the machine. */
    public static final byte UTF16 = 1;

    private static final String PROPERTY = "flink.boost.access";

    private static final MethodHandle VALUE;
    private static final MethodHandle CODER;
    private static final MethodHandle NEW_STRING;
    private static final MethodHandle HAS_NEGATIVES;

    /** A constant, so that the compiler sees one of the two checks only. */
    private static final boolean CHECKED_BY_JDK;

    private static final String REASON;

    static {
        MethodHandle[] handles = new MethodHandle[3];
        String problem = lookUp(handles);
        if (problem == null) {
            problem = selfTest(handles);
        }
        OPENED = problem == null;
        VALUE = handles[0];
        CODER = handles[1];
        NEW_STRING = handles[2];
        HAS_NEGATIVES =
                OPENED && !"words".equals(property())
                        ? asciiCheckOf("java.lang.StringCoding")
                        : null;
        CHECKED_BY_JDK = HAS_NEGATIVES != null;
        REASON = OPENED ? "self-test passed" : problem;
    }

    private StringAccess() {}

    /** One phrase for the log: the mode and its reason. */
    public static String describe() {
        return "string access "
                + (OPENED ? "opened" : "plain")
                + " ("
                + REASON
                + (OPENED && !CHECKED_BY_JDK ? ", without the JDK's check for ASCII" : "")
                + ")";
    }

    /** The string's own bytes; never to be written to. Only when {@link #OPENED}. */
    public static byte[] value(String string) {
        try {
            return (byte[]) VALUE.invokeExact(string);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** {@link #LATIN1} or {@link #UTF16}. Only when {@link #OPENED}. */
    public static byte coder(String string) {
        try {
            return (byte) CODER.invokeExact(string);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * A string that keeps the array. The coder must be the one that the JDK would choose (LATIN1 if
     * every character allows it), or {@code equals} fails. Only when {@link #OPENED}.
     */
    public static String newString(byte[] value, byte coder) {
        try {
            return (String) NEW_STRING.invokeExact(value, coder);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Whether all bytes of the range, which must lie in the array, are below 0x80. */
    public static boolean isAscii(byte[] bytes, int from, int length) {
        return CHECKED_BY_JDK
                ? !hasNegatives(bytes, from, length)
                : isAsciiByWords(bytes, from, length);
    }

    /**
     * What a call through a handle has thrown, for the caller to throw: an {@code OutOfMemoryError}
     * of ours ends a TaskManager as one of stock's does. No handle of ours throws a checked one.
     *
     * @return the exception; an error is thrown at once
     */
    public static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return (RuntimeException) e;
    }

    private static String property() {
        try {
            return System.getProperty(PROPERTY);
        } catch (SecurityException e) {
            return null;
        }
    }

    /** The JDK's vectorised intrinsic. */
    private static boolean hasNegatives(byte[] bytes, int from, int length) {
        try {
            return (boolean) HAS_NEGATIVES.invokeExact(bytes, from, length);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static boolean isAsciiByWords(byte[] bytes, int from, int length) {
        int end = from + length;
        int i = from;
        for (; i <= end - 8; i += 8) {
            if ((WideArrays.getLong(bytes, i) & WideArrays.TOP_BITS) != 0) {
                return false;
            }
        }
        for (; i < end; i++) {
            if (bytes[i] < 0) {
                return false;
            }
        }
        return true;
    }

    /** Fills the handles; a phrase that says what is missing, or null. */
    private static String lookUp(MethodHandle[] handles) {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return "the machine is big-endian";
        }
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Field value = String.class.getDeclaredField("value");
            value.setAccessible(true);
            Field coder = String.class.getDeclaredField("coder");
            coder.setAccessible(true);
            Constructor<String> constructor =
                    String.class.getDeclaredConstructor(byte[].class, byte.class);
            constructor.setAccessible(true);
            handles[0] = lookup.unreflectGetter(value);
            handles[1] = lookup.unreflectGetter(coder);
            handles[2] = lookup.unreflectConstructor(constructor);
            return null;
        } catch (ReflectiveOperationException e) {
            return "this Java has no " + e.getMessage();
        } catch (RuntimeException e) {
            // InaccessibleObjectException, or a security manager's.
            return "java.lang is not opened, add --add-opens=java.base/java.lang=ALL-UNNAMED";
        }
    }

    /**
     * The JDK's vectorised check whether any byte of a range is negative, or null where there is
     * none that gives the right answers.
     *
     * @param holder the class that declares {@code hasNegatives(byte[], int, int)} as a static
     *     method; JDK 9 and newer have {@code java.lang.StringCoding}
     */
    public static MethodHandle asciiCheckOf(String holder) {
        try {
            Method method =
                    Class.forName(holder)
                            .getDeclaredMethod("hasNegatives", byte[].class, int.class, int.class);
            method.setAccessible(true);
            MethodHandle check = MethodHandles.lookup().unreflect(method);
            for (int size = 0; size < 80; size++) {
                byte[] bytes = new byte[size + 2];
                bytes[0] = -1;
                bytes[size + 1] = -1;
                boolean none = (boolean) check.invokeExact(bytes, 1, size);
                boolean first = (boolean) check.invokeExact(bytes, 0, size + 1);
                boolean last = (boolean) check.invokeExact(bytes, 1, size + 1);
                if (none || !first || !last) {
                    return null;
                }
            }
            return check;
        } catch (Throwable e) {
            // An error here or in the self-test would leave the class broken for good.
            return null;
        }
    }

    /** Compares strings that we build with the JDK's own; a phrase, or null when all agree. */
    private static String selfTest(MethodHandle[] handles) {
        String[] samples = {
            "",
            "a",
            "flink",
            "caf\u00e9",
            "\u0416",
            "a\u0416",
            "\u6f22\u5b57",
            "\ud83d\ude00",
            "\ud83d"
        };
        try {
            for (String sample : samples) {
                byte[] value = (byte[]) handles[0].invokeExact(sample);
                byte coder = (byte) handles[1].invokeExact(sample);
                boolean wide = sample.chars().anyMatch(c -> c > 0xFF);
                if (coder == UTF16 && !wide) {
                    return "compact strings are switched off";
                }
                String expected = new String(sample.toCharArray());
                String built =
                        (String) handles[2].invokeExact(Arrays.copyOf(value, value.length), coder);
                if (coder != (wide ? UTF16 : LATIN1)
                        || value.length != sample.length() << coder
                        || !built.equals(expected)
                        || !expected.equals(built)
                        || built.hashCode() != expected.hashCode()) {
                    return "the self-test failed";
                }
            }
            return null;
        } catch (Throwable e) {
            return "the self-test failed with " + e;
        }
    }
}
