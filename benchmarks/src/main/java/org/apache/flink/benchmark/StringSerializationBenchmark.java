// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
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
 * Time to write, read or copy one string on the views that Flink uses in production.
 *
 * <p>How it could lie, and what is done about it, is in {@code benchmarks/README.md}. In short:
 * many different strings, so that branches cannot be learnt; output and input as large as a network
 * buffer; call sites polluted ({@link CallSitePolluter}); the view held in a field of interface
 * type, so that the JIT cannot tell its class from the field and has to ask the polluted profile.
 *
 * <p>With several threads each has views and buffers of its own; they share the strings that are
 * written, as tasks share the constants of a job.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class StringSerializationBenchmark {

    @Benchmark
    public void write(WriteState state) throws IOException {
        if (state.untilClear == 0) {
            state.clear();
        }
        state.untilClear--;
        StringSerializer.INSTANCE.serialize(state.nextText(), state.output);
    }

    @Benchmark
    public String read(ReadState state) throws IOException {
        if (state.untilNextBuffer == 0) {
            state.selectNextBuffer();
        }
        state.untilNextBuffer--;
        return StringSerializer.INSTANCE.deserialize(state.input);
    }

    @Benchmark
    public void copy(CopyState state) throws IOException {
        if (state.untilNextBuffer == 0) {
            state.clear();
            state.selectNextBuffer();
        }
        state.untilNextBuffer--;
        StringSerializer.INSTANCE.copy(state.input, state.output);
    }

    /** Strings, and call sites that have seen many views when the profile is {@code mixed}. */
    public static class Cell extends Texts {
        @Override
        void pollute() throws IOException {
            new CallSitePolluter().run();
        }
    }

    /** One output view that is written to and cleared when it is full. */
    @State(Scope.Thread)
    public static class WriteState {

        /** See {@link WriteTarget}. */
        @Param({"serializer", "stream"})
        public String view;

        DataOutputView output;
        int untilClear;

        private WriteTarget target;
        private String[] texts;
        private int textsPerClear;
        private int next;

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            texts = cell.texts();
            int capacity = Math.max(FilledBuffers.SIZE, cell.longestEncoding());
            textsPerClear = capacity / cell.longestEncoding();
            target = WriteTarget.named(view, capacity);
            output = (DataOutputView) target.output();
            for (int i = 0; i < texts.length; i++) {
                target.clear();
                StringSerializer.INSTANCE.serialize(texts[i], output);
                if (!Arrays.equals(cell.encodings()[i], target.written())) {
                    throw new IllegalStateException("Wrong bytes for '" + texts[i] + "'");
                }
            }
        }

        void clear() {
            target.clear();
            untilClear = textsPerClear;
        }

        String nextText() {
            String text = texts[next];
            next = next + 1 == texts.length ? 0 : next + 1;
            return text;
        }

        byte[] written() {
            return target.written();
        }
    }

    /** An input view that is pointed at one buffer full of strings after the other. */
    @State(Scope.Thread)
    public abstract static class InputState {

        DataInputView input;
        int untilNextBuffer;

        private ReadSource source;
        private int[] textsPerBuffer;
        private int next;

        void fill(Cell cell, String view) {
            FilledBuffers filled = new FilledBuffers(cell.encodings());
            textsPerBuffer = filled.counts();
            source = ReadSource.named(view, filled.buffers());
            input = (DataInputView) source.input();
        }

        final int bufferCount() {
            return textsPerBuffer.length;
        }

        final void selectNextBuffer() {
            source.select(next);
            untilNextBuffer = textsPerBuffer[next];
            next = next + 1 == textsPerBuffer.length ? 0 : next + 1;
        }
    }

    /** An input view whose strings are read. */
    public static class ReadState extends InputState {

        /** See {@link ReadSource}. */
        @Param({"network", "network-used", "network-heap", "deserializer", "stream"})
        public String view;

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            fill(cell, view);
            int text = 0;
            for (int buffer = 0; buffer < bufferCount(); buffer++) {
                selectNextBuffer();
                for (; untilNextBuffer > 0; untilNextBuffer--) {
                    String expected = cell.texts()[text++];
                    String actual = StringSerializer.INSTANCE.deserialize(input);
                    if (!expected.equals(actual)) {
                        throw new IllegalStateException(
                                "Read '" + actual + "' instead of '" + expected + "'");
                    }
                }
            }
        }
    }

    /** An input view whose strings are copied to an output view, buffer by buffer. */
    public static class CopyState extends InputState {

        /**
         * Where from: {@code network}, {@code network-heap}, {@code deserializer} into {@code
         * DataOutputSerializer}; {@code stream} into a stream.
         */
        @Param({"network", "network-heap", "deserializer", "stream"})
        public String view;

        DataOutputView output;

        private WriteTarget target;

        @Setup(Level.Trial)
        public void setUp(Cell cell) throws IOException {
            fill(cell, view);
            // An output as large as the fullest input buffer never grows.
            int capacity = Math.max(FilledBuffers.SIZE, cell.longestEncoding());
            target = WriteTarget.named(view.equals("stream") ? "stream" : "serializer", capacity);
            output = (DataOutputView) target.output();
            int text = 0;
            for (int buffer = 0; buffer < bufferCount(); buffer++) {
                selectNextBuffer();
                for (; untilNextBuffer > 0; untilNextBuffer--) {
                    clear();
                    StringSerializer.INSTANCE.copy(input, output);
                    if (!Arrays.equals(cell.encodings()[text], target.written())) {
                        throw new IllegalStateException(
                                "Wrong bytes for '" + cell.texts()[text] + "'");
                    }
                    text++;
                }
            }
        }

        void clear() {
            target.clear();
        }

        byte[] written() {
            return target.written();
        }
    }
}
