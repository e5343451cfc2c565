// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import org.apache.flink.benchmark.line.EventTime;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;

/**
 * The windows of the upstream suite. Records come one per millisecond of event time, and nothing
 * fires before the end: windows are longer than a job, gaps longer than a turn through all keys.
 */
enum WindowShape {
    GLOBAL(1, Long.MAX_VALUE, false) {
        @Override
        WindowAssigner<Object, ?> assigner() {
            return GlobalWindows.create();
        }
    },
    TUMBLING(1, WindowShape.SIZE, true) {
        @Override
        WindowAssigner<Object, ?> assigner() {
            return EventTime.tumbling(SIZE);
        }
    },
    SLIDING(10, WindowShape.SLIDE, true) {
        @Override
        WindowAssigner<Object, ?> assigner() {
            return EventTime.sliding(SIZE, SLIDE);
        }
    },
    SESSION(1, Long.MAX_VALUE, true) {
        @Override
        WindowAssigner<Object, ?> assigner() {
            return EventTime.session(GAP);
        }
    };

    private static final long SIZE = 10_000_000;
    private static final long SLIDE = 1_000_000;
    private static final long GAP = 500_000;

    /** Windows that each record is in. */
    final int windowsOfARecord;

    /** With more, some records of a key would be in windows that others are not in. */
    final long mostRecords;

    /** Whether they fire when the source ends. */
    final boolean fires;

    WindowShape(int windowsOfARecord, long mostRecords, boolean fires) {
        this.windowsOfARecord = windowsOfARecord;
        this.mostRecords = mostRecords;
        this.fires = fires;
    }

    abstract WindowAssigner<Object, ?> assigner();
}
