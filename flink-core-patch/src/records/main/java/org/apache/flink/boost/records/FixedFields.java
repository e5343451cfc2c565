// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Moves several fields of fixed width with one look at the position and one at the end, as Apache
 * Fory does, in the memory of views that show it to us.
 *
 * <p>Each field is a null flag, which is zero, and its value behind it, highest byte first. {@code
 * at} is the index of the flag. An input's bytes are in an array or in a segment, and the other one
 * is null; the caller has asked before whether all bytes are there.
 */
public final class FixedFields {

    private static final VarHandle LONGS = bigEndian(long[].class);
    private static final VarHandle INTS = bigEndian(int[].class);
    private static final VarHandle SHORTS = bigEndian(short[].class);
    private static final VarHandle CHARS = bigEndian(char[].class);

    private FixedFields() {}

    /**
     * Initialises this class. Where the first record met the end of the stack instead, it would
     * never come back for the records of other jobs.
     */
    static void prepare() {}

    private static VarHandle bigEndian(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.BIG_ENDIAN);
    }

    /** The array that takes so many bytes more as it is; null where the view is to write them. */
    public static byte[] room(DataOutputView out, int bytes) {
        if (out.getClass() != OwnViews.ARRAY_OUTPUT) {
            return null;
        }
        DataOutputSerializerMemory memory = (DataOutputSerializerMemory) out;
        byte[] array = memory.boostBuffer();
        int position = memory.boostPosition();
        return position >= 0 && position <= array.length - bytes ? array : null;
    }

    /** Moves an output with {@link #room} on by so many bytes, and returns where it was. */
    public static int advance(DataOutputView out, int bytes) {
        DataOutputSerializerMemory memory = (DataOutputSerializerMemory) out;
        int position = memory.boostPosition();
        memory.boostPosition(position + bytes);
        return position;
    }

    /** The array in which the next bytes are, if so many are there; null where it is none. */
    public static byte[] array(DataInputView in, int bytes) {
        if (in.getClass() == OwnViews.ARRAY_INPUT) {
            DataInputDeserializerMemory memory = (DataInputDeserializerMemory) in;
            byte[] array = memory.boostBuffer();
            int position = memory.boostPosition();
            int end = memory.boostEnd();
            // Start and length that leave the range of int give an end below zero.
            boolean isThere =
                    array != null
                            && position >= 0
                            && (long) position + bytes <= end
                            && end <= array.length;
            return isThere ? array : null;
        }
        MemorySegment segment = segment(in, bytes);
        return segment == null ? null : Bytes.arrayOf(segment);
    }

    /** The segment in which the next bytes are, if so many are there; null where it is none. */
    public static MemorySegment segment(DataInputView in, int bytes) {
        if (in.getClass() != OwnViews.SEGMENT_INPUT) {
            return null;
        }
        MemorySegment segment = ((SegmentInput) in).boostSegment();
        int position = ((SegmentInput) in).boostPosition();
        boolean isThere =
                Bytes.isReadable(segment) && position >= 0 && position <= segment.size() - bytes;
        return isThere ? segment : null;
    }

    /**
     * Whether the next byte is this one. Nothing is consumed, so of an input that does not show its
     * memory it is never true.
     */
    public static boolean startsWith(DataInputView in, byte value) {
        MemorySegment segment = segment(in, 1);
        byte[] array = segment == null ? array(in, 1) : null;
        return isThere(array, segment) && flag(array, segment, position(in)) == value;
    }

    /** Whether one of the two is there. A branch here is one for all generated classes. */
    public static boolean isThere(byte[] array, MemorySegment segment) {
        return array != null || segment != null;
    }

    /** Where an input is that has an {@link #array} or a {@link #segment}. */
    public static int position(DataInputView in) {
        return in.getClass() == OwnViews.ARRAY_INPUT
                ? ((DataInputDeserializerMemory) in).boostPosition()
                : ((SegmentInput) in).boostPosition();
    }

    /** Moves such an input. */
    public static void position(DataInputView in, int position) {
        if (in.getClass() == OwnViews.ARRAY_INPUT) {
            ((DataInputDeserializerMemory) in).boostPosition(position);
        } else {
            ((SegmentInput) in).boostPosition(position);
        }
    }

    /** A null flag: not zero where the view is to read the field. */
    public static int flag(byte[] array, MemorySegment segment, int at) {
        return array == null ? segment.get(at) : array[at];
    }

    /** The flag of a boolean; not zero, too, for a value of which views make different things. */
    public static int booleanFlag(byte[] array, MemorySegment segment, int at) {
        return flag(array, segment, at) | flag(array, segment, at + 1) & ~1;
    }

    public static void writeBoolean(byte[] array, int at, boolean value) {
        array[at] = 0;
        array[at + 1] = (byte) (value ? 1 : 0);
    }

    public static void writeByte(byte[] array, int at, byte value) {
        array[at] = 0;
        array[at + 1] = value;
    }

    public static void writeShort(byte[] array, int at, short value) {
        array[at] = 0;
        SHORTS.set(array, at + 1, value);
    }

    public static void writeChar(byte[] array, int at, char value) {
        array[at] = 0;
        CHARS.set(array, at + 1, value);
    }

    public static void writeInt(byte[] array, int at, int value) {
        array[at] = 0;
        INTS.set(array, at + 1, value);
    }

    public static void writeLong(byte[] array, int at, long value) {
        array[at] = 0;
        LONGS.set(array, at + 1, value);
    }

    public static void writeFloat(byte[] array, int at, float value) {
        array[at] = 0;
        INTS.set(array, at + 1, Float.floatToIntBits(value));
    }

    public static void writeDouble(byte[] array, int at, double value) {
        array[at] = 0;
        LONGS.set(array, at + 1, Double.doubleToLongBits(value));
    }

    public static boolean readBoolean(byte[] array, MemorySegment segment, int at) {
        return readByte(array, segment, at) != 0;
    }

    public static byte readByte(byte[] array, MemorySegment segment, int at) {
        return array == null ? segment.get(at + 1) : array[at + 1];
    }

    public static short readShort(byte[] array, MemorySegment segment, int at) {
        return array == null
                ? segment.getShortBigEndian(at + 1)
                : (short) SHORTS.get(array, at + 1);
    }

    public static char readChar(byte[] array, MemorySegment segment, int at) {
        return array == null ? segment.getCharBigEndian(at + 1) : (char) CHARS.get(array, at + 1);
    }

    public static int readInt(byte[] array, MemorySegment segment, int at) {
        return array == null ? segment.getIntBigEndian(at + 1) : (int) INTS.get(array, at + 1);
    }

    public static long readLong(byte[] array, MemorySegment segment, int at) {
        return array == null ? segment.getLongBigEndian(at + 1) : (long) LONGS.get(array, at + 1);
    }

    public static float readFloat(byte[] array, MemorySegment segment, int at) {
        return Float.intBitsToFloat(readInt(array, segment, at));
    }

    public static double readDouble(byte[] array, MemorySegment segment, int at) {
        return Double.longBitsToDouble(readLong(array, segment, at));
    }
}
