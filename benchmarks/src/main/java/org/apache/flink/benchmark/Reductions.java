// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Counts what window functions reduce, per subtask and without a lock. A window that never fires
 * has no result, and a job that lost its records would look fast. The tasks run in this JVM, one
 * job at a time; its end makes their counts visible.
 */
final class Reductions {

    private static final Queue<Reductions> OF_ALL_SUBTASKS = new ConcurrentLinkedQueue<>();

    private long count;

    private Reductions() {}

    /** A counter for one subtask. */
    static Reductions open() {
        Reductions own = new Reductions();
        OF_ALL_SUBTASKS.add(own);
        return own;
    }

    void count() {
        count++;
    }

    /** The sum over all counters since the last call, and forgets them. */
    static long take() {
        long sum = 0;
        for (Reductions own = OF_ALL_SUBTASKS.poll(); own != null; own = OF_ALL_SUBTASKS.poll()) {
            sum += own.count;
        }
        return sum;
    }
}
