// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.api.TimeCharacteristic;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;

/** What the jobs use that Flink 1 has in another place than Flink 2. */
final class FlinkApi {

    private FlinkApi() {}

    /** A source whose records and position the job decides itself. */
    abstract static class Source<T> extends RichParallelSourceFunction<T> {

        private static final long serialVersionUID = 1L;
    }

    static int subtask(RuntimeContext context) {
        return context.getIndexOfThisSubtask();
    }

    /** Makes a source that ends tell all operators behind it; newer releases do it by default. */
    @SuppressWarnings("deprecation")
    static void useEventTime(StreamExecutionEnvironment environment) {
        environment.setStreamTimeCharacteristic(TimeCharacteristic.EventTime);
    }
}
