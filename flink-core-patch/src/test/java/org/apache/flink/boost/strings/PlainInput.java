// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;

/** An input that is nothing but a {@code DataInput}, and takes all bytes or none. */
final class PlainInput implements DataInput {

    private final byte[] bytes;
    private final int end;
    private int position;

    /** Reads {@code bytes[start, end)}. */
    PlainInput(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Index of the next byte. */
    int position() {
        return position;
    }

    @Override
    public void readFully(byte[] target, int offset, int length) throws IOException {
        if (end - position < length) {
            throw new EOFException();
        }
        System.arraycopy(bytes, position, target, offset, length);
        position += length;
    }

    @Override
    public byte readByte() throws IOException {
        if (position == end) {
            throw new EOFException();
        }
        return bytes[position++];
    }

    @Override
    public int readUnsignedByte() throws IOException {
        return readByte() & 0xFF;
    }

    @Override
    public void readFully(byte[] target) throws IOException {
        readFully(target, 0, target.length);
    }

    @Override
    public int skipBytes(int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean readBoolean() {
        throw new UnsupportedOperationException();
    }

    @Override
    public short readShort() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int readUnsignedShort() {
        throw new UnsupportedOperationException();
    }

    @Override
    public char readChar() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int readInt() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long readLong() {
        throw new UnsupportedOperationException();
    }

    @Override
    public float readFloat() {
        throw new UnsupportedOperationException();
    }

    @Override
    public double readDouble() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String readLine() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String readUTF() {
        throw new UnsupportedOperationException();
    }
}
