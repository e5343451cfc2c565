// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Outputs that users derive from Flink's own; both sides load them with their own Flink. */
public final class UserArrayOutput {

    private UserArrayOutput() {}

    /** Changes nothing. */
    public static final class Derived extends DataOutputSerializer {

        /** With that capacity at first. */
        public Derived(int capacity) {
            super(capacity);
        }
    }

    /** Turns over a bit of every single byte, but not of arrays: stock writes single bytes. */
    public static final class Ciphering extends DataOutputSerializer {

        /** With that capacity at first. */
        public Ciphering(int capacity) {
            super(capacity);
        }

        @Override
        public void write(int b) throws IOException {
            super.write(b ^ 1);
        }
    }
}
