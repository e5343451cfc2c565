// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to write, read or copy one record by its serializer, on the views of the network and of
 * checkpoints, at call sites that have seen all types and views ({@link RecordPolluter}).
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class RecordSerializationBenchmark {

    @Benchmark
    public void write(WriteState state) throws IOException {
        if (state.untilClear == 0) {
            state.clear();
        }
        state.untilClear--;
        state.serializer.serialize(state.nextRecord(), state.output);
    }

    @Benchmark
    public Object read(ReadState state) throws IOException {
        if (state.untilNextBuffer == 0) {
            state.selectNextBuffer();
        }
        state.untilNextBuffer--;
        return state.serializer.deserialize(state.input);
    }

    @Benchmark
    public Object copy(CopyState state) {
        return state.serializer.copy(state.nextRecord());
    }

    /** Records of one type, and what they are written as. */
    @State(Scope.Benchmark)
    public static class Cell {

        /** See {@link RecordForm}. */
        @Param({"pojo", "record", "tuple", "row", "kryo", "avro", "avro-reflect"})
        public String type;

        private RecordForm form;
        private byte[][] encodings;

        @Setup(Level.Trial)
        public void setUp() throws IOException {
            // First, as in Flink's own processes: a patch of Flink is in place then.
            FileSystem.initialize(new Configuration(), null);
            form = RecordForm.named(type);
            RecordPolluter.run();
            encodings = form.encodings();
        }

        byte[][] encodings() {
            return encodings;
        }
    }

    /** The serializer of a thread. */
    @State(Scope.Thread)
    public abstract static class SerializerState {

        TypeSerializer<Object> serializer;

        private Object[] records;
        private int next;

        void take(Cell cell) {
            serializer = cell.form.newSerializer();
            records = cell.form.records();
        }

        final Object nextRecord() {
            Object record = records[next];
            next = next + 1 == records.length ? 0 : next + 1;
            return record;
        }

        final int count() {
            return records.length;
        }

        final void requireEqual(int record, Object other, Cell cell) throws IOException {
            byte[] bytes = RecordForm.encoding(serializer, other);
            if (!Arrays.equals(cell.encodings()[record], bytes)) {
                throw new IllegalStateException("Record " + record + " is another one: " + other);
            }
        }
    }

    /** One output view that is written to and cleared when it is full. */
    public static class WriteState extends SerializerState {

        /** See {@link WriteTarget}. */
        @Param({"serializer", "stream"})
        public String view;

        DataOutputView output;
        int untilClear;

        private WriteTarget target;
        private int recordsPerClear;

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            take(cell);
            int longest =
                    Arrays.stream(cell.encodings())
                            .mapToInt(each -> each.length)
                            .max()
                            .orElseThrow();
            recordsPerClear = FilledBuffers.SIZE / longest;
            target = WriteTarget.named(view, FilledBuffers.SIZE);
            output = (DataOutputView) target.output();
            for (byte[] encoding : cell.encodings()) {
                target.clear();
                serializer.serialize(nextRecord(), output);
                if (!Arrays.equals(encoding, target.written())) {
                    throw new IllegalStateException("Wrong bytes on the view " + view);
                }
            }
        }

        void clear() {
            target.clear();
            untilClear = recordsPerClear;
        }
    }

    /** An input view that is pointed at one buffer full of records after the other. */
    public static class ReadState extends SerializerState {

        /** See {@link ReadSource}. */
        @Param({"network", "stream"})
        public String view;

        DataInputView input;
        int untilNextBuffer;

        private ReadSource source;
        private int[] recordsPerBuffer;
        private int nextBuffer;

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            take(cell);
            FilledBuffers filled = new FilledBuffers(cell.encodings());
            recordsPerBuffer = filled.counts();
            source = ReadSource.named(view, filled.buffers());
            input = (DataInputView) source.input();
            int record = 0;
            for (int buffer = 0; buffer < recordsPerBuffer.length; buffer++) {
                selectNextBuffer();
                for (; untilNextBuffer > 0; untilNextBuffer--) {
                    requireEqual(record++, serializer.deserialize(input), cell);
                }
            }
        }

        final void selectNextBuffer() {
            source.select(nextBuffer);
            untilNextBuffer = recordsPerBuffer[nextBuffer];
            nextBuffer = nextBuffer + 1 == recordsPerBuffer.length ? 0 : nextBuffer + 1;
        }
    }

    /** Records that are copied as objects, as between chained operators. */
    public static class CopyState extends SerializerState {

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            take(cell);
            for (int i = 0; i < count(); i++) {
                requireEqual(i, serializer.copy(nextRecord()), cell);
            }
        }
    }
}
