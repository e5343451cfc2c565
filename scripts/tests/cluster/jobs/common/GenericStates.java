// SPDX-License-Identifier: Apache-2.0

import com.esotericsoftware.kryo.DefaultSerializer;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.runtime.kryo.JavaSerializer;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * The part of {@link StateJob} whose keys and values go through Kryo and Java serialization.
 *
 * <p>A command is a key of two texts and two texts more: {@code generic-keep} adds to all that is
 * held for the key, {@code generic-find} and {@code generic-find-entry} write down what is there. A
 * key is always made of texts that came by the network, never of one that a state gave back: what
 * Kryo has read may share its strings on stock as well.
 */
public final class GenericStates
        extends KeyedProcessFunction<GenericKey, String[], String> implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private final String folder;
    private transient ValueState<Long> count;
    // Object is what Flink leaves to Kryo, with the name of its class.
    private transient ValueState<Object> list;
    private transient ValueState<JavaTexts> javaTexts;
    private transient ValueState<Pojo> pojo;
    private transient MapState<GenericKey, Long> entries;
    private transient MapState<JavaTexts, Long> javaEntries;
    private transient ListState<GenericKey> operatorState;
    private transient List<GenericKey> operatorKeys;
    private transient PrintWriter file;

    private GenericStates(String folder) {
        this.folder = folder;
    }

    /** Whether a command is meant for this part of the job. */
    static boolean isGeneric(String[] command) {
        return command[0].startsWith("generic-");
    }

    /** Adds this part to the job; the commands have to come in their order. */
    static void follow(DataStream<String[]> commands, String folder) {
        commands.keyBy(new Key(), GenericKey.TYPE)
                .process(new GenericStates(folder), Types.STRING)
                .uid("generic-states");
    }

    private static final class Key implements KeySelector<String[], GenericKey> {

        private static final long serialVersionUID = 1L;

        @Override
        public GenericKey getKey(String[] command) {
            return new GenericKey(command[1], command[2]);
        }
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        KeyedStateStore keyed = context.getKeyedStateStore();
        count = keyed.getState(new ValueStateDescriptor<>("count", Types.LONG));
        list = keyed.getState(new ValueStateDescriptor<>("list", Types.GENERIC(Object.class)));
        javaTexts = keyed.getState(new ValueStateDescriptor<>("java", JavaTexts.TYPE));
        pojo = keyed.getState(new ValueStateDescriptor<>("pojo", Types.POJO(Pojo.class)));
        entries =
                keyed.getMapState(
                        new MapStateDescriptor<>("entries", GenericKey.TYPE, Types.LONG));
        javaEntries =
                keyed.getMapState(
                        new MapStateDescriptor<>(
                                "java-entries", JavaTexts.TYPE, Types.LONG));
        operatorState =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("operator", GenericKey.TYPE));
        operatorKeys = new ArrayList<>();
        String name = "generic-" + FlinkApi.subtask(getRuntimeContext()) + ".txt";
        file = new PrintWriter(Files.newBufferedWriter(Paths.get(folder, name)));
        for (GenericKey key : operatorState.get()) {
            operatorKeys.add(key);
            StateJob.write(file, "generic-operator", key.first, key.second);
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        // Flink gives them back in any order.
        Collections.sort(operatorKeys);
        operatorState.update(operatorKeys);
    }

    @Override
    public void processElement(String[] command, Context context, Collector<String> out)
            throws Exception {
        switch (command[0]) {
            case "generic-keep":
                keep(command[1], command[2], command[3], command[4]);
                break;
            case "generic-find":
                find(command[1], command[2]);
                break;
            case "generic-find-entry":
                findEntry(command[1], command[2], command[3], command[4]);
                break;
            default:
                throw new IllegalArgumentException(command[0]);
        }
    }

    private void keep(String first, String second, String third, String fourth) throws Exception {
        count.update(oneMore(count.value()));
        list.update(listOf(third, fourth, first, third));
        javaTexts.update(new JavaTexts(third, fourth));
        pojo.update(new Pojo(third, listOf(fourth, third)));
        GenericKey entry = new GenericKey(third, fourth);
        entries.put(entry, oneMore(entries.get(entry)));
        JavaTexts javaEntry = new JavaTexts(third, fourth);
        javaEntries.put(javaEntry, oneMore(javaEntries.get(javaEntry)));
        operatorKeys.add(new GenericKey(first, second));
    }

    private static List<String> listOf(String... texts) {
        return new ArrayList<>(Arrays.asList(texts));
    }

    private static Long oneMore(Long before) {
        return before == null ? 1 : before + 1;
    }

    private void find(String first, String second) throws Exception {
        if (count.value() != null) {
            write("generic-count", first, second, count.value().toString());
        }
        if (list.value() != null) {
            writeList("generic-list", first, second, (List<?>) list.value());
        }
        if (javaTexts.value() != null) {
            write("generic-java", first, second, javaTexts.value().first, javaTexts.value().second);
        }
        if (pojo.value() != null) {
            List<Object> texts = new ArrayList<>((List<?>) pojo.value().any);
            texts.add(0, pojo.value().text);
            writeList("generic-pojo", first, second, texts);
        }
    }

    private void findEntry(String first, String second, String third, String fourth)
            throws Exception {
        Long found = entries.get(new GenericKey(third, fourth));
        if (found != null) {
            write("generic-entry", first, second, third, fourth, found.toString());
        }
        Long javaFound = javaEntries.get(new JavaTexts(third, fourth));
        if (javaFound != null) {
            write("generic-java-entry", first, second, third, fourth, javaFound.toString());
        }
    }

    private void writeList(String kind, String first, String second, List<?> texts)
            throws IOException {
        List<String> all = listOf(first, second);
        texts.forEach(text -> all.add((String) text));
        write(kind, all.toArray(new String[0]));
    }

    private void write(String kind, String... texts) throws IOException {
        StateJob.write(file, kind, texts);
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }

    /** Two texts that Kryo leaves to Java serialization. */
    @DefaultSerializer(JavaSerializer.class)
    private static final class JavaTexts implements Serializable {

        static final TypeInformation<JavaTexts> TYPE = Types.GENERIC(JavaTexts.class);

        private static final long serialVersionUID = 1L;

        private final String first;
        private final String second;

        JavaTexts(String first, String second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof JavaTexts
                    && first.equals(((JavaTexts) other).first)
                    && second.equals(((JavaTexts) other).second);
        }

        @Override
        public int hashCode() {
            return Objects.hash(first, second);
        }
    }

    /** A class whose fields Flink writes itself, but for the one that may be anything. */
    public static final class Pojo {

        public String text;
        public Object any;

        public Pojo() {}

        Pojo(String text, Object any) {
            this.text = text;
            this.any = any;
        }
    }
}
