// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.time.Duration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/** Event time and its windows; all lengths are in milliseconds. */
public final class EventTime {

    private EventTime() {}

    /** Nothing to do: since Flink 1.12 event time is what a job has. */
    public static void use(StreamExecutionEnvironment environment) {}

    public static WindowAssigner<Object, TimeWindow> tumbling(long size) {
        return TumblingEventTimeWindows.of(Duration.ofMillis(size));
    }

    public static WindowAssigner<Object, TimeWindow> sliding(long size, long slide) {
        return SlidingEventTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(slide));
    }

    public static WindowAssigner<Object, TimeWindow> session(long gap) {
        return EventTimeSessionWindows.withGap(Duration.ofMillis(gap));
    }
}
