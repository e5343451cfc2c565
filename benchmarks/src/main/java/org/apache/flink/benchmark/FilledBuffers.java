// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Encoded strings in their order, as many whole ones per network buffer as there is room for. */
final class FilledBuffers {

    /** Size of a network buffer in bytes; a string that is longer gets a buffer of its own. */
    static final int SIZE = 32 * 1024;

    private final List<byte[]> buffers = new ArrayList<>();
    private final List<Integer> counts = new ArrayList<>();

    FilledBuffers(byte[][] encodings) {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        int count = 0;
        for (byte[] encoding : encodings) {
            if (count > 0 && buffer.size() + encoding.length > SIZE) {
                add(buffer, count);
                count = 0;
            }
            buffer.writeBytes(encoding);
            count++;
        }
        add(buffer, count);
    }

    private void add(ByteArrayOutputStream buffer, int count) {
        buffers.add(buffer.toByteArray());
        counts.add(count);
        buffer.reset();
    }

    /** The buffers, each exactly as long as what is in it. */
    List<byte[]> buffers() {
        return buffers;
    }

    /** How many strings each buffer holds. */
    int[] counts() {
        return counts.stream().mapToInt(Integer::intValue).toArray();
    }
}
