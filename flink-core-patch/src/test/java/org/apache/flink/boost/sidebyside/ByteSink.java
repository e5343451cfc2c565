// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.OutputStream;
import java.util.Arrays;

/** {@code ByteArrayOutputStream} without its locks and copies. */
public final class ByteSink extends OutputStream {

    private byte[] bytes = new byte[256];
    private int size;

    /** The array that holds the bytes; another one after it has grown. */
    public byte[] bytes() {
        return bytes;
    }

    /** Number of bytes. */
    public int size() {
        return size;
    }

    /** Forgets all bytes. */
    public void clear() {
        size = 0;
    }

    @Override
    public void write(int b) {
        if (size == bytes.length) {
            grow(size + 1);
        }
        bytes[size++] = (byte) b;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        if (length > bytes.length - size) {
            grow(size + length);
        }
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
    }

    private void grow(int needed) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, needed));
    }
}
