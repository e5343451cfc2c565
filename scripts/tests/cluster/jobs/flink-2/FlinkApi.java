// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.legacy.RichParallelSourceFunction;

/** What the jobs use that Flink 2 has in another place than Flink 1. */
final class FlinkApi {

    private FlinkApi() {}

    /** A source whose records and position the job decides itself. */
    abstract static class Source<T> extends RichParallelSourceFunction<T> {

        private static final long serialVersionUID = 1L;
    }

    static int subtask(RuntimeContext context) {
        return context.getTaskInfo().getIndexOfThisSubtask();
    }

    /** Flink 2 has no other time by default. */
    static void useEventTime(StreamExecutionEnvironment environment) {}
}
