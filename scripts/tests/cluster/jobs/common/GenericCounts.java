// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;
import java.util.TreeMap;

/**
 * The part of {@link ExchangeJob} that sends keys by Kryo and counts them under these keys.
 *
 * <p>When it is closed, it writes the count of each key that came since the last failure into {@code
 * generic-<subtask>.txt}. A timer would not do to write them: its key has been through Kryo, which
 * may share the strings that it reads, and the count is under other bytes, on stock as well.
 */
final class GenericCounts extends KeyedProcessFunction<GenericKey, GenericKey, String>
        implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private final String folder;
    private transient MapState<GenericKey, Long> counts;
    private transient Map<GenericKey, Long> latest;

    private GenericCounts(String folder) {
        this.folder = folder;
    }

    /** Adds this part to the job. */
    static void follow(DataStream<GenericKey> keys, String folder) {
        keys.keyBy(new Itself(), GenericKey.TYPE)
                .process(new GenericCounts(folder), Types.STRING)
                .uid("generic counts");
    }

    private static final class Itself implements KeySelector<GenericKey, GenericKey> {

        private static final long serialVersionUID = 1L;

        @Override
        public GenericKey getKey(GenericKey key) {
            return key;
        }
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {
        counts =
                context.getKeyedStateStore()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "generic counts", GenericKey.TYPE, Types.LONG));
        latest = new TreeMap<>();
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {}

    @Override
    public void processElement(GenericKey key, Context context, Collector<String> out)
            throws Exception {
        Long before = counts.get(key);
        long count = before == null ? 1 : before + 1;
        counts.put(key, count);
        latest.put(key, count);
    }

    @Override
    public void close() throws IOException {
        if (latest == null) {
            return;
        }
        String name = "generic-" + FlinkApi.subtask(getRuntimeContext()) + ".txt";
        try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(Paths.get(folder, name)))) {
            for (Map.Entry<GenericKey, Long> entry : latest.entrySet()) {
                String first = CodeUnits.encode(entry.getKey().first);
                String second = CodeUnits.encode(entry.getKey().second);
                file.println("generic," + first + "," + second + "," + entry.getValue());
            }
        }
    }
}
