// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.core.memory.MemorySegment;

/**
 * The bytes of an array and of a memory segment by the same names, lowest byte first. What is
 * written for {@code byte[] in} by these names the build writes again for a segment, because one
 * loop over both kinds of memory would not be compiled to plain loads.
 *
 * <p>An index outside the memory throws {@code IndexOutOfBoundsException}; a segment that has been
 * freed throws what it does.
 */
public final class Bytes {

    private Bytes() {}

    /** Whether the segment is there and has not been freed. */
    public static boolean isReadable(MemorySegment segment) {
        return segment != null && !segment.isFreed();
    }

    /** Whether the byte at an index can be read. */
    public static boolean isReadable(MemorySegment segment, int index) {
        return isReadable(segment) && index >= 0 && index < segment.size();
    }

    /**
     * The array whose byte at each index is that of the segment; null when there is none.
     *
     * <p>Every heap segment of an official Flink is a whole array. A Flink of somebody's own may
     * have segments that are a part of one, which then starts anywhere in it: only an array as long
     * as the segment is the segment.
     *
     * @throws IllegalStateException or another, as the segment decides, when it has been freed
     */
    public static byte[] arrayOf(MemorySegment segment) {
        if (segment.isOffHeap()) {
            return null;
        }
        byte[] array = segment.getArray();
        return array.length == segment.size() ? array : null;
    }

    /** Eight bytes from an index on. */
    public static long longAt(byte[] in, int index) {
        return WideArrays.getLong(in, index);
    }

    /** Eight bytes from an index on. */
    public static long longAt(MemorySegment in, int index) {
        return in.getLongLittleEndian(index);
    }

    /** Four bytes from an index on. */
    public static int intAt(byte[] in, int index) {
        return WideArrays.getInt(in, index);
    }

    /** Four bytes from an index on. */
    public static int intAt(MemorySegment in, int index) {
        return in.getIntLittleEndian(index);
    }

    /** The byte at an index, with its sign. */
    public static byte byteAt(byte[] in, int index) {
        return in[index];
    }

    /** The byte at an index, with its sign. */
    public static byte byteAt(MemorySegment in, int index) {
        return in.get(index);
    }

    /** Copies {@code size} bytes from an index on to an index of another array. */
    public static void copy(byte[] in, int index, byte[] to, int target, int size) {
        System.arraycopy(in, index, to, target, size);
    }

    /** Copies {@code size} bytes from an index on to an index of an array. */
    public static void copy(MemorySegment in, int index, byte[] to, int target, int size) {
        in.get(index, to, target, size);
    }

    /** Whether 8 bytes or more are known to be ASCII, by the JDK's vectorised check. */
    public static boolean areAscii(byte[] in, int index, int size) {
        return Words.isAscii(WideArrays.getLong(in, index))
                && StringAccess.isAscii(in, index, size);
    }

    /** False: the JDK checks arrays only. */
    public static boolean areAscii(MemorySegment in, int index, int size) {
        return false;
    }

    /** Writes one character of little-endian UTF-16, of which {@code index} others come before. */
    public static void putUtf16(byte[] chars, int index, int c) {
        WideArrays.putChar(chars, index << 1, (char) c);
    }

    /**
     * Writes the low bytes of a word to the end of an array from an index on, seven at most; where
     * eight or more are left, eight.
     */
    public static void putTail(long word, byte[] out, int index) {
        if (out.length - index >= 8) {
            WideArrays.putLong(out, index, word);
        } else {
            putLast(word, out, index);
        }
    }

    /** Fills an array from an index on with the low bytes of a word, seven at most. */
    public static void putLast(long word, byte[] out, int index) {
        int n = out.length - index;
        if (n >= 4) {
            WideArrays.putInt(out, index, (int) word);
            WideArrays.putInt(out, out.length - 4, (int) (word >>> (n - 4 << 3)));
            return;
        }
        long rest = word;
        for (int i = index; i < out.length; i++, rest >>>= 8) {
            out[i] = (byte) rest;
        }
    }
}
