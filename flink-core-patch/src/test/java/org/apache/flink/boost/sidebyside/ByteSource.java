// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.io.InputStream;

/** Part of an array as a stream that knows its position, and that can be closed. */
public final class ByteSource extends InputStream {

    private final int most;
    private byte[] bytes = new byte[0];
    private int position;
    private int end;

    /** Gives at most that many bytes per call. */
    public ByteSource(int most) {
        this.most = most;
    }

    /** Starts again on {@code bytes[start, end)}. */
    public void open(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Index of the next byte, as in the array. */
    public int position() {
        return position;
    }

    @Override
    public int read() throws IOException {
        requireOpen();
        return position < end ? bytes[position++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        requireOpen();
        if (length == 0) {
            return 0;
        }
        int n = Math.min(Math.min(length, most), end - position);
        if (n <= 0) {
            return -1;
        }
        System.arraycopy(bytes, position, target, offset, n);
        position += n;
        return n;
    }

    @Override
    public int available() {
        return Math.max(0, Math.min(most, end - position));
    }

    @Override
    public void close() {
        bytes = null;
    }

    private void requireOpen() throws IOException {
        if (bytes == null) {
            throw new IOException("the stream is closed");
        }
    }
}
