// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.benchmark.RecordSupply;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;

/**
 * Emits records that exist already, over and over, until all subtasks together have emitted {@code
 * total} of them.
 *
 * <p>The old source interface on purpose: it is the thinnest way into the record path that all
 * lines have.
 */
@SuppressWarnings("deprecation")
public final class RecordSource<T> extends RichParallelSourceFunction<T> {

    private static final long serialVersionUID = 1L;

    // The interface demands the lock around every emission; one lock for many keeps it off the
    // bill.
    private static final int RECORDS_PER_LOCK = 100;

    private final RecordSupply<T> supply;
    private final long total;
    private final boolean timed;
    private volatile boolean running = true;

    public RecordSource(RecordSupply<T> supply, long total) {
        this(supply, total, false);
    }

    private RecordSource(RecordSupply<T> supply, long total, boolean timed) {
        this.supply = supply;
        this.total = total;
        this.timed = timed;
    }

    /** A source whose subtask gives its records the timestamps 0, 1, 2, … in milliseconds. */
    public static <T> RecordSource<T> timed(RecordSupply<T> supply, long total) {
        return new RecordSource<>(supply, total, true);
    }

    @Override
    public void run(SourceContext<T> context) {
        int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        T[] records = supply.records();
        long left = total * (subtask + 1) / subtasks - total * subtask / subtasks;
        int next = records.length * subtask / subtasks;
        long timestamp = 0;
        while (running && left > 0) {
            long batch = Math.min(left, RECORDS_PER_LOCK);
            synchronized (context.getCheckpointLock()) {
                for (long i = 0; i < batch; i++) {
                    if (timed) {
                        context.collectWithTimestamp(records[next], timestamp++);
                    } else {
                        context.collect(records[next]);
                    }
                    next = next + 1 == records.length ? 0 : next + 1;
                }
            }
            left -= batch;
        }
    }

    @Override
    public void cancel() {
        running = false;
    }
}
