// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.DataInput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;

/** Network buffers as Flink allocates them: off-heap. */
class OffHeapSegmentStringReadTest extends SegmentStringReadContract {

    @Override
    String factoryMethod() {
        return "allocateUnpooledOffHeapMemory";
    }

    @Override
    boolean isOffHeap() {
        return true;
    }

    /**
     * A channel of ASCII in which other text came once copies each string once again: it takes
     * other text for ASCII, which costs the array for it, only then.
     */
    @Test
    void expectsAsciiAgainAfterSixteenStringsOfIt() throws IOException {
        int n = 2000;
        // Plain access and stock's code expect nothing.
        boolean ours =
                "opened".equals(System.getProperty("expected.access"))
                        && !"off".equals(System.getProperty("flink.boost.mode"));
        long garbage = ours ? n : 0;
        long none = allocatedForOtherTextAfter(0, n);
        assertThat(allocatedForOtherTextAfter(15, n)).isBetween(none - 64, none + 64);
        assertThat(allocatedForOtherTextAfter(16, n))
                .isBetween(none + garbage - 64, none + garbage + 64);
    }

    /** Bytes for text that is late not ASCII, after such a text and so many of ASCII. */
    private long allocatedForOtherTextAfter(int strings, int n) throws IOException {
        String late = "x".repeat(n - 1) + "\u0416";
        String all = late + "x".repeat(n * strings);
        byte[] other = Wire.encoded(late);
        byte[] ascii = Wire.encoded("x".repeat(n));
        byte[] bytes = new byte[2 * other.length + strings * ascii.length];
        System.arraycopy(other, 0, bytes, 0, other.length);
        for (int i = 0; i < strings; i++) {
            System.arraycopy(ascii, 0, bytes, other.length + i * ascii.length, ascii.length);
        }
        System.arraycopy(other, 0, bytes, bytes.length - other.length, other.length);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long allocated = 0;
        // The first time classes are loaded.
        for (int round = 0; round < 3; round++) {
            DataInput in = open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
            StringBuilder read = new StringBuilder();
            for (int i = 0; i <= strings; i++) {
                read.append(FlinkClasses.PATCHED.readString(in));
            }
            assertThat(read.toString()).isEqualTo(all);
            long before = threads.getThreadAllocatedBytes(self);
            String last = FlinkClasses.PATCHED.readString(in);
            allocated = threads.getThreadAllocatedBytes(self) - before;
            assertThat(last).isEqualTo(late);
        }
        return allocated;
    }
}
