// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import org.apache.flink.boost.guard.Verdict;
import org.apache.flink.boost.guard.VersionGuard;

/** Prints what the check at the start takes: milliseconds by the clock, and of processors. */
final class GuardProbe {

    private static final double NANOS = 1e6;

    public static void main(String[] arguments) {
        long processors = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long began = System.nanoTime();
        Verdict verdict = VersionGuard.verdict();
        long clock = System.nanoTime() - began;
        processors = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processors;
        System.out.println(verdict);
        System.out.println(clock / NANOS + " " + processors / NANOS);
    }
}
