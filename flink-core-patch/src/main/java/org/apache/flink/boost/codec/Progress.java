// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/** How far a raw loop came, on both sides, in one {@code long}: no allocation, no fields. */
public final class Progress {

    private Progress() {}

    /** Both indices are 0 or more. */
    public static long of(int characters, int bytes) {
        return (long) characters << 32 | bytes;
    }

    /** Index on the side of the characters. */
    public static int characters(long progress) {
        return (int) (progress >>> 32);
    }

    /** Index on the side of the encoded bytes. */
    public static int bytes(long progress) {
        return (int) progress;
    }
}
