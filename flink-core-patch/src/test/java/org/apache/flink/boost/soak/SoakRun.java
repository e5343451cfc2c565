// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Checks cases on several threads, a block of indices at a time, and knows below which index all
 * are done. After a failure the blocks in front of it are still finished, so that the case that is
 * reported is the first one, whatever the number of threads.
 */
final class SoakRun {

    private final Supplier<SoakCases.Check> checks;
    private final int block;
    private final String name;
    private final TreeSet<Long> finishedAhead = new TreeSet<>();
    private final List<Thread> threads = new ArrayList<>();

    private volatile long end;
    private volatile boolean stopped;
    private long next;
    private long done;
    private String failure;
    private Throwable crash;

    /**
     * Strings.
     *
     * @param cases the case of an index
     * @param name what the cases are, for a message
     * @param from index of the first case
     * @param end index behind the last case
     * @param comparisons makes the comparison of a thread
     */
    SoakRun(
            LongFunction<SoakCase> cases,
            String name,
            long from,
            long end,
            Supplier<Comparison> comparisons) {
        this(
                name,
                StringCases.BLOCK,
                from,
                end,
                () -> {
                    Comparison comparison = comparisons.get();
                    return index -> comparison.check(cases.apply(index));
                });
    }

    /** Strings of a seed. */
    SoakRun(long seed, long from, long end, Supplier<Comparison> comparisons) {
        this(index -> SoakCase.of(seed, index), "seed " + seed, from, end, comparisons);
    }

    /**
     * @param name what the cases are, for a message
     * @param block cases that a thread takes at once
     * @param checks makes the check of a thread
     */
    SoakRun(String name, int block, long from, long end, Supplier<SoakCases.Check> checks) {
        this.name = name;
        this.block = block;
        this.next = from;
        this.done = from;
        this.end = end;
        this.checks = checks;
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(this::work, "soak-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** All cases below this index are done and agree. */
    synchronized long done() {
        return done;
    }

    /** What the case of index {@link #failingCase} did; null while none has failed. */
    synchronized String failure() {
        return failure;
    }

    /** Index of the first failing case, when one has failed and all threads have ended. */
    long failingCase() {
        return end;
    }

    /**
     * Waits for the threads.
     *
     * @return whether they have ended
     * @throws IllegalStateException when the soak test itself broke
     */
    boolean join(long milliseconds) throws InterruptedException {
        long deadline = System.nanoTime() + milliseconds * 1_000_000;
        for (Thread thread : threads) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            thread.join(Math.max(1, left));
            if (thread.isAlive()) {
                return false;
            }
        }
        synchronized (this) {
            if (crash != null) {
                throw new IllegalStateException("the soak test itself broke", crash);
            }
        }
        return true;
    }

    /** Ends the threads after the case they are at. */
    void stop() {
        stopped = true;
    }

    private void work() {
        try {
            SoakCases.Check check = checks.get();
            for (long from = claim(); from >= 0; from = claim()) {
                check(check, from);
            }
        } catch (Throwable e) {
            synchronized (this) {
                crash = e;
                stopped = true;
            }
        }
    }

    private void check(SoakCases.Check check, long from) {
        for (long index = from; index < from + block; index++) {
            if (stopped) {
                return;
            }
            if (index >= end) {
                break;
            }
            try {
                check.check(index);
            } catch (Mismatch e) {
                fail(index, e.getMessage());
                return;
            } catch (Throwable e) {
                throw new IllegalStateException("case " + index + " of " + name, e);
            }
        }
        finish(from);
    }

    private synchronized long claim() {
        if (stopped || next >= end) {
            return -1;
        }
        long from = next;
        next += block;
        return from;
    }

    private synchronized void fail(long index, String what) {
        if (failure == null || index < end) {
            end = index;
            failure = what;
        }
    }

    private synchronized void finish(long from) {
        finishedAhead.add(from);
        while (finishedAhead.remove(done)) {
            done = Math.min(done + block, end);
        }
    }
}
