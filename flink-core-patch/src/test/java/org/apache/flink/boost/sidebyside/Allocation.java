// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Bytes that the current thread allocates, to the byte. */
public final class Allocation {

    /** Something to measure. */
    public interface Step {
        void run() throws Exception;
    }

    private static final ThreadMXBean BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /**
     * Bytes that a step allocates once everything is loaded, linked and grown: the least of many
     * runs.
     *
     * @param prepare runs before each, unmeasured
     */
    public static long ofEach(int runs, Step prepare, Step step) {
        long least = Long.MAX_VALUE;
        try {
            for (int i = 0; i < runs; i++) {
                prepare.run();
                long before = allocated();
                step.run();
                least = Math.min(least, allocated() - before);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return least;
    }

    /** Bytes that a string with its own array takes, as the JDK of this run lays it out. */
    static long ofString(String text) {
        char[] units = text.toCharArray();
        boolean wide = !compact() || text.chars().anyMatch(c -> c > 0xFF);
        Object[] kept = new Object[2];
        long array = ofEach(5, () -> {}, () -> kept[0] = new byte[units.length << (wide ? 1 : 0)]);
        // This constructor shares the array.
        long shell = ofEach(5, () -> {}, () -> kept[1] = new String(text));
        return array + shell;
    }

    /** Bytes of this thread so far. */
    static long allocated() {
        return BEAN.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Whether a Latin-1 string takes less than another one of the same length. */
    private static boolean compact() {
        char[] narrow = new char[1000];
        char[] wide = new char[1000];
        java.util.Arrays.fill(narrow, 'a');
        java.util.Arrays.fill(wide, '\u0416');
        Object[] kept = new Object[1];
        return ofEach(5, () -> {}, () -> kept[0] = new String(narrow))
                < ofEach(5, () -> {}, () -> kept[0] = new String(wide));
    }
}
