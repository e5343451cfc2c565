// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.types.StringValue;
import org.apache.flink.util.Collector;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Holds strings in every kind of state, and writes down all that it holds when it starts.
 *
 * <p>Argument: a folder. Each subtask first writes the state that it was restored with into {@code
 * state-<subtask>.txt}. Then the lines of {@code commands.txt} change the state, {@code ready}
 * appears, and the job waits to be stopped. Fields of a line are separated by commas; all but the
 * first are texts as {@link CodeUnits}. Commands of {@link GenericStates} write what they find into
 * {@code generic-<subtask>.txt}; those of {@link RecordStates} into {@code records-<subtask>.txt}.
 */
public final class StateJob {

    private static final int PARALLELISM = 2;
    private static final String WRITE_DOWN = "write-down";
    private static final String BROADCAST = "broadcast";

    private static final ValueStateDescriptor<String> VALUE =
            new ValueStateDescriptor<>("value", Types.STRING);
    private static final ValueStateDescriptor<StringValue> STRING_VALUE =
            new ValueStateDescriptor<>("string-value", TypeInformation.of(StringValue.class));
    private static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", Types.STRING);
    private static final MapStateDescriptor<String, String> MAP =
            new MapStateDescriptor<>("map", Types.STRING, Types.STRING);
    private static final MapStateDescriptor<String, String> RULES =
            new MapStateDescriptor<>(BROADCAST, Types.STRING, Types.STRING);
    private static final ListStateDescriptor<String> OPERATOR =
            new ListStateDescriptor<>("operator", Types.STRING);
    private static final ListStateDescriptor<String> UNION =
            new ListStateDescriptor<>("union", Types.STRING);

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(PARALLELISM);
        environment.setMaxParallelism(16);
        DataStream<String[]> commands =
                environment
                        .addSource(
                                new Commands(arguments[0]),
                                "commands",
                                BasicArrayTypeInfo.STRING_ARRAY_TYPE_INFO)
                        .uid("commands")
                        .setParallelism(1);
        // All commands go through one process on the way, so that they arrive in their order.
        BroadcastStream<String[]> toAll =
                commands.filter(StateJob::isForAll).setParallelism(1).broadcast(RULES);
        GenericStates.follow(
                commands.filter(GenericStates::isGeneric).setParallelism(1), arguments[0]);
        RecordStates.follow(commands, arguments[0]);
        commands.filter(StateJob::isOfStrings)
                .setParallelism(1)
                .keyBy(new Key(), Types.STRING)
                .connect(toAll)
                .process(new States(arguments[0]), Types.STRING)
                .uid("states");
        environment.execute("strings in every kind of state");
    }

    private static boolean isForAll(String[] command) {
        return command[0].equals(WRITE_DOWN) || command[0].equals(BROADCAST);
    }

    private static boolean isOfStrings(String[] command) {
        return !isForAll(command)
                && !GenericStates.isGeneric(command)
                && !RecordStates.isOfRecords(command);
    }

    private static final class Key implements KeySelector<String[], String> {

        private static final long serialVersionUID = 1L;

        @Override
        public String getKey(String[] command) {
            return command[1];
        }
    }

    private static final class Commands extends FlinkApi.Source<String[]> {

        private static final long serialVersionUID = 1L;

        private final String folder;
        private volatile boolean running = true;

        Commands(String folder) {
            this.folder = folder;
        }

        @Override
        public void run(SourceContext<String[]> context) throws Exception {
            emit(context, new String[] {WRITE_DOWN});
            // Keyed records could overtake the broadcast one.
            for (int subtask = 0; subtask < PARALLELISM; subtask++) {
                while (running && !Files.exists(stateFile(folder, subtask))) {
                    Thread.sleep(20);
                }
            }
            try (BufferedReader lines =
                    Files.newBufferedReader(Paths.get(folder, "commands.txt"))) {
                for (String line = lines.readLine();
                        running && line != null;
                        line = lines.readLine()) {
                    String[] command = line.split(",", -1);
                    for (int i = 1; i < command.length; i++) {
                        command[i] = CodeUnits.decode(command[i]);
                    }
                    emit(context, command);
                }
            }
            Files.createFile(Paths.get(folder, "ready"));
            while (running) {
                Thread.sleep(20);
            }
        }

        private static void emit(SourceContext<String[]> context, String[] command) {
            synchronized (context.getCheckpointLock()) {
                context.collect(command);
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class States
            extends KeyedBroadcastProcessFunction<String, String[], String[], String>
            implements CheckpointedFunction {

        private static final long serialVersionUID = 1L;

        private final String folder;
        private transient ValueState<String> value;
        private transient ValueState<StringValue> stringValue;
        private transient ListState<String> list;
        private transient MapState<String, String> map;
        private transient ListState<String> operatorState;
        private transient ListState<String> unionState;
        private transient List<String> operatorTexts;
        private transient List<String> unionTexts;

        States(String folder) {
            this.folder = folder;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            value = context.getKeyedStateStore().getState(VALUE);
            stringValue = context.getKeyedStateStore().getState(STRING_VALUE);
            list = context.getKeyedStateStore().getListState(LIST);
            map = context.getKeyedStateStore().getMapState(MAP);
            operatorState = context.getOperatorStateStore().getListState(OPERATOR);
            operatorTexts = all(operatorState);
            unionState = context.getOperatorStateStore().getUnionListState(UNION);
            unionTexts = all(unionState);
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            // Flink gives them back in any order.
            Collections.sort(operatorTexts);
            Collections.sort(unionTexts);
            operatorState.update(operatorTexts);
            unionState.update(unionTexts);
        }

        @Override
        public void processElement(String[] command, ReadOnlyContext context, Collector<String> out)
                throws Exception {
            switch (command[0]) {
                case "value":
                    value.update(command[2]);
                    break;
                case "string-value":
                    stringValue.update(new StringValue(command[2]));
                    break;
                case "list":
                    list.add(command[2]);
                    break;
                case "map":
                    map.put(command[2], command[3]);
                    break;
                case "operator":
                    operatorTexts.add(command[1]);
                    break;
                case "union":
                    unionTexts.add(command[1]);
                    break;
                default:
                    throw new IllegalArgumentException(command[0]);
            }
        }

        @Override
        public void processBroadcastElement(
                String[] command, Context context, Collector<String> out) throws Exception {
            if (command[0].equals(BROADCAST)) {
                context.getBroadcastState(RULES).put(command[1], command[2]);
                return;
            }
            int subtask = FlinkApi.subtask(getRuntimeContext());
            Path partial = Paths.get(folder, "state-" + subtask + ".partial");
            try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(partial))) {
                writeDown(context, subtask, file);
            }
            Files.move(partial, stateFile(folder, subtask));
            if (subtask > 0) {
                // From here on one subtask is enough to remember what each was given.
                unionTexts.clear();
            }
        }

        private void writeDown(Context context, int subtask, PrintWriter file) throws Exception {
            context.applyToKeyedState(
                    VALUE, (key, state) -> write(file, "value", key, state.value()));
            context.applyToKeyedState(
                    STRING_VALUE,
                    (key, state) -> write(file, "string-value", key, state.value().getValue()));
            context.applyToKeyedState(
                    LIST,
                    (key, state) -> {
                        List<String> texts = all(state);
                        texts.add(0, key);
                        write(file, "list", texts.toArray(new String[0]));
                    });
            context.applyToKeyedState(
                    MAP,
                    (key, state) -> {
                        for (Map.Entry<String, String> entry : state.entries()) {
                            write(file, "map", key, entry.getKey(), entry.getValue());
                        }
                    });
            String by = String.valueOf(subtask);
            for (Map.Entry<String, String> rule : context.getBroadcastState(RULES).entries()) {
                write(file, BROADCAST + by, rule.getKey(), rule.getValue());
            }
            for (String text : operatorTexts) {
                write(file, "operator", text);
            }
            for (String text : unionTexts) {
                write(file, "union" + by, text);
            }
        }
    }

    private static List<String> all(ListState<String> state) throws Exception {
        List<String> texts = new ArrayList<>();
        for (String text : state.get()) {
            texts.add(text);
        }
        return texts;
    }

    private static Path stateFile(String folder, int subtask) {
        return Paths.get(folder, "state-" + subtask + ".txt");
    }

    /** Writes a line at once: its kind, and texts as {@link CodeUnits}. */
    static void write(PrintWriter file, String kind, String... texts) throws IOException {
        StringBuilder line = new StringBuilder(kind);
        for (String text : texts) {
            line.append(',').append(CodeUnits.encode(text));
        }
        file.println(line);
        if (file.checkError()) {
            throw new IOException("The state cannot be written down.");
        }
    }
}
