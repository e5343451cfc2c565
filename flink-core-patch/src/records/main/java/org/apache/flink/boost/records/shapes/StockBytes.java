// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.typeutils.runtime.MaskUtils;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * What this Flink's serializers of primitives and strings and its masks of rows make of some
 * values. Generated code stands in for them, and nothing else compares these classes: a build of
 * somebody's own may have others.
 */
public final class StockBytes {

    private static final int[] LONG = {0x81, 2, 3, 4, 5, 6, 7, 8};

    /** Asked for once, on the thread that generates. */
    private static final class Asked {
        static final String DIFFERENCE = difference();
    }

    private StockBytes() {}

    /**
     * @throws IllegalStateException when Flink writes what no release does; says which class
     */
    public static void require() {
        if (Asked.DIFFERENCE != null) {
            throw new IllegalStateException(Asked.DIFFERENCE);
        }
    }

    /** Null when all are as those of the releases. */
    private static String difference() {
        try {
            requirePrimitive(BooleanSerializer.INSTANCE, true, 1);
            requirePrimitive(BooleanSerializer.INSTANCE, false, 0);
            requirePrimitive(ByteSerializer.INSTANCE, (byte) 0x81, firstOf(1));
            requirePrimitive(ShortSerializer.INSTANCE, (short) 0x8102, firstOf(2));
            requirePrimitive(CharSerializer.INSTANCE, '\u8102', firstOf(2));
            requirePrimitive(IntSerializer.INSTANCE, 0x81020304, firstOf(4));
            requirePrimitive(LongSerializer.INSTANCE, 0x8102030405060708L, firstOf(8));
            requirePrimitive(
                    FloatSerializer.INSTANCE, Float.intBitsToFloat(0x81020304), firstOf(4));
            double number = Double.longBitsToDouble(0x8102030405060708L);
            requirePrimitive(DoubleSerializer.INSTANCE, number, firstOf(8));
            requirePrimitive(FloatSerializer.INSTANCE, Float.NaN, 0x7f, 0xc0, 0, 0);
            requirePrimitive(DoubleSerializer.INSTANCE, Double.NaN, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0);
            require(StringSerializer.INSTANCE, "a\u8102", 3, 'a', 0x82, 0x82, 0x02);
            require(StringSerializer.INSTANCE, "\u00e9", 2, 0xe9, 0x01);
            require(StringSerializer.INSTANCE, null, 0);
            requireLongString();
            requireMasks();
            return null;
        } catch (IOException | RuntimeException | LinkageError e) {
            return "This Flink writes values as no release does: " + e;
        }
    }

    private static int[] firstOf(int count) {
        return Arrays.copyOf(LONG, count);
    }

    /**
     * @param bytes those of the value in all releases
     * @throws IllegalStateException when the serializer writes, reads or copies it otherwise
     */
    public static <T> void require(TypeSerializer<T> serializer, T value, int... bytes)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        serializer.serialize(value, out);
        requireEqual(serializer.getClass(), out.getCopyOfBuffer(), bytes);
        DataInputDeserializer in = new DataInputDeserializer(bytesOf(bytes));
        T read = serializer.deserialize(in);
        boolean isRead = value == null ? read == null : value.equals(read);
        if (!isRead || in.available() != 0) {
            throw new IllegalStateException(serializer.getClass() + " reads " + read);
        }
        if (serializer.copy(value) != value) {
            throw new IllegalStateException(serializer.getClass() + " copies what is immutable");
        }
    }

    /** As {@link #require}, for a serializer that has no bytes for null. */
    private static <T> void requirePrimitive(TypeSerializer<T> serializer, T value, int... bytes)
            throws IOException {
        require(serializer, value, bytes);
        requireNoNull(serializer);
    }

    private static void requireLongString() throws IOException {
        char[] text = new char[300];
        Arrays.fill(text, 'a');
        int[] bytes = new int[2 + text.length];
        Arrays.fill(bytes, 'a');
        // 301, the length and one, in groups of seven bits.
        bytes[0] = 0xad;
        bytes[1] = 2;
        require(StringSerializer.INSTANCE, new String(text), bytes);
    }

    /**
     * @throws IllegalStateException when the serializer has bytes for null, which none of a
     *     primitive has in the releases
     */
    public static void requireNoNull(TypeSerializer<?> serializer) throws IOException {
        try {
            serializer.serialize(null, new DataOutputSerializer(16));
        } catch (NullPointerException e) {
            return;
        }
        throw new IllegalStateException(serializer.getClass() + " writes null");
    }

    private static void requireMasks() throws IOException {
        boolean[] mask = {true, false, false, true, true, true, false, true, false, true};
        int[] bytes = {0b1001_1101, 0b0100_0000};
        DataOutputSerializer out = new DataOutputSerializer(16);
        MaskUtils.writeMask(mask, out);
        requireEqual(MaskUtils.class, out.getCopyOfBuffer(), bytes);
        boolean[] read = new boolean[mask.length];
        MaskUtils.readIntoMask(new DataInputDeserializer(bytesOf(bytes)), read);
        if (!Arrays.equals(read, mask)) {
            throw new IllegalStateException(MaskUtils.class + " reads " + Arrays.toString(read));
        }
    }

    private static void requireEqual(Class<?> writer, byte[] written, int[] bytes) {
        if (!Arrays.equals(written, bytesOf(bytes))) {
            throw new IllegalStateException(writer + " writes " + Arrays.toString(written));
        }
    }

    private static byte[] bytesOf(int[] bytes) {
        byte[] all = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            all[i] = (byte) bytes[i];
        }
        return all;
    }
}
