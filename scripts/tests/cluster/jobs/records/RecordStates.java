// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The part of {@link StateJob} that holds records under keys that are Java records.
 *
 * <p>{@code record-keep} has a key, a text and a number, of which one record of each kind is made
 * and kept; {@code record-find} writes down what a key has, into {@code records-<subtask>.txt}.
 */
final class RecordStates extends KeyedProcessFunction<Buyer, String[], String>
        implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private final String folder;
    private transient ValueState<Purchase> pojo;
    private transient ValueState<Visit> visit;
    private transient ValueState<Parcel> parcel;
    private transient ValueState<Tuple3<String, Long, Purchase>> tuple;
    private transient ValueState<Row> row;
    private transient ListState<Purchase> list;
    private transient MapState<Buyer, Visit> map;
    private transient ListState<Purchase> operatorState;
    private transient List<Purchase> operatorRecords;
    private transient PrintWriter file;

    private RecordStates(String folder) {
        this.folder = folder;
    }

    /** Whether a command is meant for this part of the job. */
    static boolean isOfRecords(String[] command) {
        return command[0].startsWith("record-");
    }

    /** Adds this part to the job; the commands have to come in their order. */
    static void follow(DataStream<String[]> commands, String folder) {
        commands.filter(RecordStates::isOfRecords)
                .setParallelism(1)
                .keyBy(new Key(), RecordTypes.BUYER)
                .process(new RecordStates(folder), Types.STRING)
                .uid("record-states");
    }

    private static final class Key implements KeySelector<String[], Buyer> {

        private static final long serialVersionUID = 1L;

        @Override
        public Buyer getKey(String[] command) {
            return Buyer.of(command[1]);
        }
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        RecordTypes.awaitGeneratedCode();
        KeyedStateStore keyed = context.getKeyedStateStore();
        pojo = keyed.getState(new ValueStateDescriptor<>("pojo", RecordTypes.PURCHASE));
        visit = keyed.getState(new ValueStateDescriptor<>("visit", RecordTypes.VISIT));
        parcel = keyed.getState(new ValueStateDescriptor<>("parcel", RecordTypes.PARCEL));
        tuple = keyed.getState(new ValueStateDescriptor<>("tuple", RecordTypes.TUPLE));
        row = keyed.getState(new ValueStateDescriptor<>("row", RecordTypes.ROW));
        list = keyed.getListState(new ListStateDescriptor<>("list", RecordTypes.PURCHASE));
        map =
                keyed.getMapState(
                        new MapStateDescriptor<>("map", RecordTypes.BUYER, RecordTypes.VISIT));
        operatorState =
                context.getOperatorStateStore()
                        .getListState(
                                new ListStateDescriptor<>("operator", RecordTypes.PURCHASE));
        operatorRecords = new ArrayList<>();
        file = new PrintWriter(Files.newBufferedWriter(own("records")));
        for (Purchase each : operatorState.get()) {
            operatorRecords.add(each);
            write("record-operator", List.of(), each.texts());
        }
    }

    private Path own(String name) {
        return Paths.get(folder, name + "-" + FlinkApi.subtask(getRuntimeContext()) + ".txt");
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        // Flink gives them back in any order.
        operatorRecords.sort(Comparator.comparing(each -> String.join("\n", each.texts())));
        operatorState.update(operatorRecords);
    }

    @Override
    public void processElement(String[] command, Context context, Collector<String> out)
            throws Exception {
        switch (command[0]) {
            case "record-keep":
                keep(command[2], Long.parseLong(command[3]));
                break;
            case "record-find":
                find(List.of(command[1]));
                break;
            default:
                throw new IllegalArgumentException(command[0]);
        }
    }

    private void keep(String text, long number) throws Exception {
        pojo.update(Purchase.of(text, number));
        visit.update(Visit.of(text, number));
        parcel.update(new Parcel(text, number));
        tuple.update(RecordTypes.tuple(text, number));
        row.update(RecordTypes.row(text, number));
        list.add(Purchase.of(text, number));
        map.put(Buyer.of(text), Visit.of(text, number));
        operatorRecords.add(Purchase.of(text, number));
    }

    private void find(List<String> key) throws Exception {
        write("record-pojo", key, pojo.value().texts());
        write("record-visit", key, visit.value().texts());
        write("record-parcel", key, parcel.value().texts());
        Tuple3<String, Long, Purchase> held = tuple.value();
        write("record-tuple", key, Texts.of(List.of(held.f0, held.f1, held.f2.texts())));
        Row found = row.value();
        Visit inside = found.getFieldAs(2);
        List<Object> fields = new ArrayList<>(List.of(found.getKind()));
        fields.addAll(List.of(found.getField(0), found.getField(1), inside.texts()));
        fields.add(found.getField(3));
        write("record-row", key, Texts.of(fields));
        for (Purchase each : list.get()) {
            write("record-list", key, each.texts());
        }
        for (Map.Entry<Buyer, Visit> entry : map.entries()) {
            List<String> texts = new ArrayList<>(List.of(entry.getKey().name()));
            texts.addAll(entry.getValue().texts());
            write("record-map", key, texts);
        }
    }

    private void write(String kind, List<String> key, List<String> texts) throws IOException {
        List<String> all = new ArrayList<>(key);
        all.addAll(texts);
        StateJob.write(file, kind, all.toArray(new String[0]));
    }

    @Override
    public void close() throws Exception {
        if (file != null) {
            file.close();
            Makers.write(Paths.get(folder));
        }
    }
}
