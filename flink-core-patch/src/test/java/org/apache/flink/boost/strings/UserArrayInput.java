// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;

/** Views that users derive from Flink's own; both sides load them with their own Flink. */
public final class UserArrayInput {

    private UserArrayInput() {}

    /** Changes nothing. */
    public static final class Derived extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;

        /** Reads {@code bytes[start, end)}. */
        public Derived(byte[] bytes, int start, int end) {
            super(bytes, start, end - start);
        }

        /** Index of the next byte. */
        public int position() {
            return getPosition();
        }
    }

    /** Turns over a bit of every single byte, but not of arrays: stock reads single bytes. */
    public static final class Deciphering extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;

        /** Reads {@code bytes[start, end)}. */
        public Deciphering(byte[] bytes, int start, int end) {
            super(bytes, start, end - start);
        }

        /** Index of the next byte. */
        public int position() {
            return getPosition();
        }

        @Override
        public int readUnsignedByte() throws IOException {
            return super.readUnsignedByte() ^ 1;
        }
    }
}
