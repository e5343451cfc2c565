// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.io.PrintStream;
import java.util.Locale;

/** Says how far a soak test is: one line that is rewritten on a terminal, else a line at times. */
final class SoakProgress {

    private static final double PLAIN_SECONDS = 10;

    private final PrintStream out;
    private final String what;
    private final long from;
    private final long cases;
    private final boolean terminal;
    private final long started = System.nanoTime();

    private double shown;

    /**
     * @param what the cases, in the plural
     */
    SoakProgress(PrintStream out, String what, long from, long cases, boolean terminal) {
        this.out = out;
        this.what = what;
        this.from = from;
        this.cases = cases;
        this.terminal = terminal;
        if (from > 0) {
            out.printf(Locale.ROOT, "Going on after %,d %s.%n", from, what);
        }
    }

    /** Seconds since this part of the run began. */
    double seconds() {
        return (System.nanoTime() - started) / 1e9;
    }

    void show(long done) {
        double now = seconds();
        if (!terminal && now - shown < PLAIN_SECONDS) {
            return;
        }
        shown = now;
        String line = describe(done, now);
        out.print(terminal ? "\r" + line + "   " : line + System.lineSeparator());
        out.flush();
    }

    void end(SoakState state) {
        if (terminal) {
            out.println();
        }
        if (state.verdict == SoakState.Verdict.FAILED) {
            out.printf("Case %d differs. %s%n", state.failingCase, state.failure);
            return;
        }
        out.printf(
                Locale.ROOT,
                "%,d %s, patched and stock agree, %s in all, %,.0f/s in this part%n",
                state.done,
                what,
                duration(state.seconds),
                (state.done - from) / seconds());
    }

    private String describe(long done, double now) {
        double rate = (done - from) / now;
        String left = rate > 0 ? ", about " + duration((cases - done) / rate) + " left" : "";
        return String.format(
                Locale.ROOT,
                "%,d of %,d %s (%.1f %%), %,.0f/s%s",
                done,
                cases,
                what,
                100.0 * done / cases,
                rate,
                left);
    }

    private static String duration(double seconds) {
        if (seconds < 90) {
            return String.format(Locale.ROOT, "%.0f s", seconds);
        }
        return seconds < 5400
                ? String.format(Locale.ROOT, "%.0f min", seconds / 60)
                : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }
}
