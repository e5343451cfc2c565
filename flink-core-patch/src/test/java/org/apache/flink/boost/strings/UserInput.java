// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;

/**
 * A view as a user might write one: every method is its own, and arrays are filled a few bytes at a
 * time. Both sides of a comparison load this class with their own Flink.
 */
public class UserInput extends DataInputStream implements DataInputView {

    private final Trickle trickle;

    /** Reads {@code bytes[start, end)}. */
    public UserInput(byte[] bytes, int start, int end) {
        this(new Trickle(bytes, start, end));
    }

    private UserInput(Trickle trickle) {
        super(trickle);
        this.trickle = trickle;
    }

    /** Index of the next byte. */
    public int position() {
        return trickle.position();
    }

    @Override
    public void skipBytesToRead(int count) throws IOException {
        if (skipBytes(count) != count) {
            throw new EOFException();
        }
    }

    private static final class Trickle extends ByteArrayInputStream {

        private Trickle(byte[] bytes, int start, int end) {
            super(bytes, start, end - start);
        }

        private int position() {
            return pos;
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 1 + pos % 5));
        }
    }
}
