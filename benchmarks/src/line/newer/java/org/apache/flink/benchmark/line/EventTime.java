// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
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

    /** Gives the records of each subtask the timestamps 0, 1, 2, … behind the source. */
    public static <T> DataStream<T> everyMillisecond(DataStream<T> records) {
        return records.assignTimestampsAndWatermarks(
                WatermarkStrategy.<T>forMonotonousTimestamps()
                        .withTimestampAssigner(context -> new Milliseconds<>()));
    }

    private static final class Milliseconds<T> implements TimestampAssigner<T> {
        private long next;

        @Override
        public long extractTimestamp(T record, long timestamp) {
            return next++;
        }
    }
}
