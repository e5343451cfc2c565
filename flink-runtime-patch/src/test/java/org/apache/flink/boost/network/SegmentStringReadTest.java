// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the view of a record in one network buffer keeps and leaves behind. */
class SegmentStringReadTest {

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long self = Thread.currentThread().getId();

    /** Text that is only late not ASCII leaves no more garbage than text that is not at once. */
    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT", "SLICED_SEGMENT"})
    void allocatesNothingForAWrongGuessTwice(Input view) throws IOException {
        // The first time classes are loaded.
        allocated(view, "x".repeat(99) + "\u0416");
        for (int n : new int[] {100, 2000, 5000}) {
            long late = allocated(view, "x".repeat(n - 1) + "\u0416");
            long early = allocated(view, "\u0416" + "x".repeat(n - 1));
            assertThat(late).as("%s characters", n).isBetween(early - 64, early + 64);
        }
    }

    /** Bytes per string, after the first one that the view has read. */
    private long allocated(Input view, String text) throws IOException {
        int times = 50;
        byte[] one = Wire.encoded(text);
        byte[] bytes = new byte[one.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(one, 0, bytes, i * one.length, one.length);
        }
        Codec patched = Sides.patched();
        patched.open(view, bytes, 0, bytes.length);
        assertThat(patched.readString()).isEqualTo(text);
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 1; i < times; i++) {
            patched.readString();
        }
        return (threads.getThreadAllocatedBytes(self) - before) / (times - 1);
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
        long allocated = 0;
        // The first time classes are loaded.
        for (int round = 0; round < 3; round++) {
            Codec patched = Sides.patched();
            patched.open(Input.OFF_HEAP_SEGMENT, bytes, 0, bytes.length);
            StringBuilder read = new StringBuilder();
            for (int i = 0; i <= strings; i++) {
                read.append(patched.readString());
            }
            assertThat(read.toString()).isEqualTo(all);
            long before = threads.getThreadAllocatedBytes(self);
            String last = patched.readString();
            allocated = threads.getThreadAllocatedBytes(self) - before;
            assertThat(last).isEqualTo(late);
        }
        return allocated;
    }
}
