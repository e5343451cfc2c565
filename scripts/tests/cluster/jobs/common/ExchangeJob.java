// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sends pairs of strings through rebalance and keyBy, and strings through broadcast, between all
 * TaskManagers, and counts them, with checkpoints.
 *
 * <p>Arguments: a folder, how often its {@code pairs.txt} is replayed, the milliseconds between two
 * pairs of a subtask, and optionally {@code forget}. Sources keep their last round (their
 * last record if there is one round only), and their pace, until the file {@code release} appears:
 * so every pair comes once more after all failures. At the end each subtask writes into {@code
 * counts-<subtask>.txt}: {@code pair} with its count, {@code broadcast} with its count, and {@code
 * route}: the process ids that records passed, and how many did. {@link GenericCounts} writes into
 * {@code generic-<subtask>.txt}. With {@code forget} the sources start over after a failure, as a
 * job must not do.
 */
public final class ExchangeJob {

    private static final int PARALLELISM = 4;
    private static final long CHECKPOINT_MILLIS = 500;
    private static final TypeInformation<Tuple3<String, String, String>> PAIR =
            Types.TUPLE(Types.STRING, Types.STRING, Types.STRING);
    private static final MapStateDescriptor<String, Long> SEEN_BY_ALL =
            new MapStateDescriptor<>("broadcast", Types.STRING, Types.LONG);

    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0];
        int rounds = Integer.parseInt(arguments[1]);
        long pause = Long.parseLong(arguments[2]);
        boolean forget = arguments.length > 3 && arguments[3].equals("forget");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(PARALLELISM);
        environment.enableCheckpointing(CHECKPOINT_MILLIS);
        FlinkApi.useEventTime(environment);
        BroadcastStream<Tuple3<String, String, String>> toAll =
                environment
                        .addSource(new Replay(folder, 1, 1, pause, forget), "to all", PAIR)
                        .uid("to all")
                        .setParallelism(1)
                        .broadcast(SEEN_BY_ALL);
        SingleOutputStreamOperator<Tuple3<String, String, String>> pairs =
                environment
                        .addSource(
                                new Replay(folder, rounds, PARALLELISM, pause, forget),
                                "pairs",
                                PAIR)
                        .uid("pairs")
                        .rebalance()
                        .map(new Hop())
                        .returns(PAIR);
        GenericCounts.follow(
                pairs.map(pair -> new GenericKey(pair.f0, pair.f1)).returns(GenericKey.TYPE),
                folder);
        pairs.keyBy(new Key(), Types.STRING)
                .connect(toAll)
                .process(new Count(folder), Types.STRING)
                .uid("count");
        environment.execute("strings between TaskManagers");
    }

    private static String process() {
        return String.valueOf(ProcessHandle.current().pid());
    }

    private static final class Key implements KeySelector<Tuple3<String, String, String>, String> {

        private static final long serialVersionUID = 1L;

        @Override
        public String getKey(Tuple3<String, String, String> pair) {
            return pair.f0;
        }
    }

    private static final class Hop
            implements MapFunction<Tuple3<String, String, String>, Tuple3<String, String, String>> {

        private static final long serialVersionUID = 1L;

        @Override
        public Tuple3<String, String, String> map(Tuple3<String, String, String> pair) {
            return Tuple3.of(pair.f0, pair.f1, pair.f2 + " " + process());
        }
    }

    /** Each subtask emits every n-th line, and goes on after a failure where its checkpoint was. */
    private static final class Replay extends FlinkApi.Source<Tuple3<String, String, String>>
            implements CheckpointedFunction {

        private static final long serialVersionUID = 1L;

        private final String folder;
        private final int rounds;
        private final int parallelism;
        private final long pause;
        private final boolean forget;
        private volatile boolean running = true;
        private transient ListState<String> positions;
        private transient long next;

        Replay(String folder, int rounds, int parallelism, long pause, boolean forget) {
            this.folder = folder;
            this.rounds = rounds;
            this.parallelism = parallelism;
            this.pause = pause;
            this.forget = forget;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            int subtask = FlinkApi.subtask(getRuntimeContext());
            positions =
                    context.getOperatorStateStore()
                            .getUnionListState(
                                    new ListStateDescriptor<>("positions", Types.STRING));
            next = subtask;
            for (String position : positions.get()) {
                String[] parts = position.split(":");
                if (Integer.parseInt(parts[0]) == subtask && !forget) {
                    next = Long.parseLong(parts[1]);
                }
            }
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            positions.clear();
            positions.add(FlinkApi.subtask(getRuntimeContext()) + ":" + next);
        }

        @Override
        public void run(SourceContext<Tuple3<String, String, String>> context) throws Exception {
            List<String[]> pairs = new ArrayList<>();
            for (String line : Files.readAllLines(Paths.get(folder, "pairs.txt"))) {
                String[] pair = line.split(",", -1);
                pairs.add(new String[] {CodeUnits.decode(pair[0]), CodeUnits.decode(pair[1])});
            }
            Path release = Paths.get(folder, "release");
            long end = (long) rounds * pairs.size();
            long kept = rounds > 1 ? pairs.size() : parallelism;
            while (running && next < end) {
                boolean last = next + kept >= end;
                if (!Files.exists(release)) {
                    Thread.sleep(last ? 20 : pause);
                    if (last) {
                        continue;
                    }
                }
                String[] pair = pairs.get((int) (next % pairs.size()));
                synchronized (context.getCheckpointLock()) {
                    context.collect(Tuple3.of(pair[0], pair[1], process()));
                    next += parallelism;
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class Count
            extends KeyedBroadcastProcessFunction<
                    String, Tuple3<String, String, String>, Tuple3<String, String, String>, String>
            implements CheckpointedFunction {

        private static final long serialVersionUID = 1L;

        private final String folder;
        private transient MapState<String, Long> counts;
        private transient Map<String, Long> routes;
        private transient PrintWriter file;

        Count(String folder) {
            this.folder = folder;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            counts =
                    context.getKeyedStateStore()
                            .getMapState(
                                    new MapStateDescriptor<>("counts", Types.STRING, Types.LONG));
            routes = new TreeMap<>();
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {}

        @Override
        public void processElement(
                Tuple3<String, String, String> pair, ReadOnlyContext context, Collector<String> out)
                throws Exception {
            Long before = counts.get(pair.f1);
            counts.put(pair.f1, before == null ? 1 : before + 1);
            routes.merge(pair.f2 + " " + process(), 1L, Long::sum);
            // Fires once all sources have ended.
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
        }

        @Override
        public void processBroadcastElement(
                Tuple3<String, String, String> pair, Context context, Collector<String> out)
                throws Exception {
            Long before = context.getBroadcastState(SEEN_BY_ALL).get(pair.f0);
            context.getBroadcastState(SEEN_BY_ALL).put(pair.f0, before == null ? 1 : before + 1);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            if (file == null) {
                String name = "counts-" + FlinkApi.subtask(getRuntimeContext()) + ".txt";
                file = new PrintWriter(Files.newBufferedWriter(Paths.get(folder, name)));
                for (Map.Entry<String, Long> seen :
                        context.getBroadcastState(SEEN_BY_ALL).immutableEntries()) {
                    write("broadcast", CodeUnits.encode(seen.getKey()), "", seen.getValue());
                }
                for (Map.Entry<String, Long> route : routes.entrySet()) {
                    write("route", route.getKey(), "", route.getValue());
                }
            }
            String key = CodeUnits.encode(context.getCurrentKey());
            for (Map.Entry<String, Long> entry : counts.entries()) {
                write("pair", key, CodeUnits.encode(entry.getKey()), entry.getValue());
            }
        }

        private void write(String kind, String first, String second, long count) {
            file.println(kind + "," + first + "," + second + "," + count);
        }

        @Override
        public void close() {
            if (file != null) {
                file.close();
            }
        }
    }
}
