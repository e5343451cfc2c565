// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import java.util.Arrays;

/** Heap segments that are the middle of an array, as no official Flink has them. */
public final class SlicedSegments {

    private static final String FACTORY = "org.apache.flink.core.memory.MemorySegmentFactory";
    private static final int FRONT = 11;
    private static final int BACK = 5;

    private SlicedSegments() {}

    /** A segment of that many zeros; what lies around it in its array are ones. */
    public static Object slice(FlinkClasses flink, int size) throws IOException {
        byte[] ones = new byte[FRONT + size + BACK];
        Arrays.fill(ones, (byte) 1);
        Object segment = flink.invokeStatic(FACTORY, "wrap", (Object) ones);
        long address = (long) FlinkClasses.field(segment, "address") + FRONT;
        FlinkClasses.setField(segment, "address", address);
        FlinkClasses.setField(segment, "addressLimit", address + size);
        FlinkClasses.setField(segment, "size", size);
        flink.invoke(segment, "put", 0, new byte[size], 0, size);
        return segment;
    }
}
