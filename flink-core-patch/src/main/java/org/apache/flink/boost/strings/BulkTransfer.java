// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Method;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;

/**
 * Moves bytes in arrays through views whose memory we do not see.
 *
 * <p>Stock moves single bytes. A class that overrides the method for one byte but inherits the one
 * for arrays (to count, to check, to encrypt) would notice the difference, so arrays are used only
 * where one class declares both. The array handed out is always a {@link Chunk}'s.
 */
final class BulkTransfer {

    /** Stock's body has to move single bytes. */
    static final int BY_BYTE = 0;

    /** A {@code DataInputStream}; {@code read} tells how far it came. */
    static final int STREAM = 1;

    /** A {@code DataInputView}; {@code read} tells how far it came. */
    static final int VIEW = 2;

    /**
     * One of Flink's views of memory in pages. A read that comes back short has met the end and
     * swallowed its exception; a second attempt would count one page more than stock's single byte.
     */
    static final int PAGES = 3;

    /** An output that takes arrays. */
    static final int ARRAYS = 1;

    /** {@code DataOutputSerializer} or a subclass: its array has to grow as by single bytes. */
    static final int GROWING = 2;

    private static final Class<?>[] ONE = {int.class};
    private static final Class<?>[] RANGE = {byte[].class, int.class, int.class};

    private static final ClassValue<Integer> INPUTS =
            new ClassValue<Integer>() {
                @Override
                protected Integer computeValue(Class<?> type) {
                    return inputKind(type);
                }
            };

    private static final ClassValue<Integer> OUTPUTS =
            new ClassValue<Integer>() {
                @Override
                protected Integer computeValue(Class<?> type) {
                    return outputKind(type);
                }
            };

    private BulkTransfer() {}

    /** {@link #BY_BYTE}, {@link #STREAM}, {@link #VIEW} or {@link #PAGES}. */
    static int kindOf(DataInput in) {
        Class<?> type = in.getClass();
        return type == DataInputViewStreamWrapper.class || type == DataInputStream.class
                ? STREAM
                : INPUTS.get(type);
    }

    /** {@link #BY_BYTE}, {@link #ARRAYS} or {@link #GROWING}. */
    static int kindOf(DataOutput out) {
        Class<?> type = out.getClass();
        return type == DataOutputViewStreamWrapper.class || type == DataOutputStream.class
                ? ARRAYS
                : OUTPUTS.get(type);
    }

    /**
     * Takes some of the next bytes, at least one, into the chunk's array.
     *
     * @param from index of the first one in that array
     * @param most how many may be taken: bytes that belong to the value in any case
     * @return number of bytes taken
     * @throws IOException the exception of a single-byte read, at the position where it fails
     */
    static int take(DataInput in, int kind, Chunk chunk, int from, int most) throws IOException {
        if (kind == PAGES) {
            return takeFromPages((DataInputView) in, chunk, from, most);
        }
        byte[] bytes = chunk.bytes;
        int taken = 0;
        try {
            taken =
                    kind == STREAM
                            ? ((DataInputStream) in).read(bytes, from, most)
                            : ((DataInputView) in).read(bytes, from, most);
        } catch (EOFException | IndexOutOfBoundsException e) {
            // The single byte shows where the input really ends, and how.
        }
        if (taken <= 0) {
            bytes[from] = (byte) in.readUnsignedByte();
            taken = 1;
        }
        return taken;
    }

    private static int takeFromPages(DataInputView in, Chunk chunk, int from, int most)
            throws IOException {
        int taken = chunk.ended ? -1 : in.read(chunk.bytes, from, most);
        if (taken < 0) {
            throw new EOFException();
        }
        chunk.ended = taken < most;
        return taken;
    }

    /** Writes the first bytes of an array. */
    static void put(DataOutput out, int kind, byte[] bytes, int size) throws IOException {
        if (kind == GROWING && !StringWriter.makeRoom((DataOutputSerializerMemory) out, size)) {
            for (int i = 0; i < size; i++) {
                out.write(bytes[i]);
            }
        } else {
            out.write(bytes, 0, size);
        }
    }

    private static int inputKind(Class<?> type) {
        Class<?> single = declaring(type, "readUnsignedByte");
        if (single == null
                || OwnViews.isLeftAsStock(type)
                || single != declaring(type, "readByte")
                || single != declaring(type, "readFully", RANGE)
                || single != declaring(type, "read", RANGE)) {
            return BY_BYTE;
        }
        if (DataInputStream.class.isAssignableFrom(type)) {
            return STREAM;
        }
        // Only these two have a read that tells how far it came.
        return !DataInputView.class.isAssignableFrom(type)
                ? BY_BYTE
                : isPaged(single) ? PAGES : VIEW;
    }

    private static boolean isPaged(Class<?> type) {
        return type.getName().equals("org.apache.flink.runtime.memory.AbstractPagedInputView");
    }

    private static int outputKind(Class<?> type) {
        Class<?> single = declaring(type, "write", ONE);
        if (single == null
                || OwnViews.isLeftAsStock(type)
                || single != declaring(type, "writeByte", ONE)
                || single != declaring(type, "write", RANGE)) {
            return BY_BYTE;
        }
        return DataOutputSerializerMemory.class.isAssignableFrom(type) ? GROWING : ARRAYS;
    }

    /** The class that declares the method, or null where it cannot be told. */
    private static Class<?> declaring(Class<?> type, String name, Class<?>... parameters) {
        try {
            Method method = type.getMethod(name, parameters);
            return method.getDeclaringClass();
        } catch (NoSuchMethodException | SecurityException | LinkageError e) {
            return null;
        }
    }
}
