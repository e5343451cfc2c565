// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;

/** What can be done with an open input; copies go to the open output. */
public enum Operation {
    READ_STRING(false) {
        @Override
        String on(Codec codec) throws IOException {
            return codec.readString();
        }
    },
    COPY_STRING(true) {
        @Override
        String on(Codec codec) throws IOException {
            codec.copyString();
            return null;
        }
    },
    COPY_BY_SERIALIZER(true) {
        @Override
        String on(Codec codec) throws IOException {
            codec.copyBySerializer();
            return null;
        }
    };

    private final boolean copy;

    Operation(boolean copy) {
        this.copy = copy;
    }

    /** Whether it writes to the output. */
    public boolean isCopy() {
        return copy;
    }

    /** Whether a type serializer calls it, with no code of its own between. */
    public boolean isBySerializer() {
        return this == COPY_BY_SERIALIZER;
    }

    /** The string that was read, if any. */
    abstract String on(Codec codec) throws IOException;
}
