// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.streaming.api.TimeCharacteristic;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.timestamps.AscendingTimestampExtractor;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/** Event time and its windows; all lengths are in milliseconds. */
public final class EventTime {

    private EventTime() {}

    /** Switches a job over to event time. */
    public static void use(StreamExecutionEnvironment environment) {
        environment.setStreamTimeCharacteristic(TimeCharacteristic.EventTime);
    }

    public static WindowAssigner<Object, TimeWindow> tumbling(long size) {
        return TumblingEventTimeWindows.of(Time.milliseconds(size));
    }

    public static WindowAssigner<Object, TimeWindow> sliding(long size, long slide) {
        return SlidingEventTimeWindows.of(Time.milliseconds(size), Time.milliseconds(slide));
    }

    public static WindowAssigner<Object, TimeWindow> session(long gap) {
        return EventTimeSessionWindows.withGap(Time.milliseconds(gap));
    }

    /** Gives the records of each subtask the timestamps 0, 1, 2, … behind the source. */
    public static <T> DataStream<T> everyMillisecond(DataStream<T> records) {
        return records.assignTimestampsAndWatermarks(new Milliseconds<>());
    }

    private static final class Milliseconds<T> extends AscendingTimestampExtractor<T> {
        private static final long serialVersionUID = 1L;

        private long next;

        @Override
        public long extractAscendingTimestamp(T record) {
            return next++;
        }
    }
}
