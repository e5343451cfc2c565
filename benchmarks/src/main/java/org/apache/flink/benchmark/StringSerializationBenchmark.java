// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * Time to write or read one string on the views that Flink uses in production.
 *
 * <p>How it could lie, and what is done about it, is in {@code benchmarks/README.md}. In short:
 * many different strings, so that branches cannot be learnt; output and input as large as a network
 * buffer; call sites polluted ({@link CallSitePolluter}); the view held in a field of interface
 * type, so that the JIT cannot tell its class from the field and has to ask the polluted profile.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class StringSerializationBenchmark {

    /** Different strings per cell; more than a branch predictor learns by heart. */
    static final int DISTINCT_TEXTS = 64;

    /** Size of a network buffer; the output is cleared, the input exchanged, after as much. */
    static final int BUFFER_SIZE = 32 * 1024;

    private static final long SEED = 14_346;

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

    /** What reading and writing have in common: the strings. */
    @State(Scope.Thread)
    public abstract static class TextState {

        /** In UTF-16 code units. */
        @Param({"4", "16", "128", "1024"})
        public int length;

        /** Any of {@link TextKind}. */
        @Param({"ascii", "cyrillic", "cjk"})
        public String kind;

        /** {@code mixed}: call sites polluted before measuring; {@code pure}: not. */
        @Param({"mixed", "pure"})
        public String profile;

        String[] texts;
        byte[][] encodings;

        void setUpTexts() throws IOException {
            texts = TextKind.named(kind).drawDistinct(DISTINCT_TEXTS, length, SEED);
            encodings = Arrays.stream(texts).map(ReferenceEncoding::encode).toArray(byte[][]::new);
            if (profile.equals("mixed")) {
                new CallSitePolluter().run();
            } else if (!profile.equals("pure")) {
                throw new IllegalArgumentException(
                        "Unknown profile '" + profile + "'; choose mixed or pure");
            }
        }

        int longestEncoding() {
            return Arrays.stream(encodings).mapToInt(bytes -> bytes.length).max().getAsInt();
        }
    }

    /** One output view that is written to and cleared when it is full. */
    public static class WriteState extends TextState {

        /** {@code serializer} or {@code stream}, see {@link WriteTarget}. */
        @Param("serializer")
        public String view;

        DataOutputView output;
        int untilClear;

        private WriteTarget target;
        private int textsPerClear;
        private int next;

        @Setup(Level.Trial)
        public void setUp() throws IOException {
            setUpTexts();
            int capacity = Math.max(BUFFER_SIZE, longestEncoding());
            target = WriteTarget.named(view, capacity);
            output = (DataOutputView) target.output();
            textsPerClear = capacity / longestEncoding();
            for (int i = 0; i < texts.length; i++) {
                target.clear();
                StringSerializer.INSTANCE.serialize(texts[i], output);
                if (!Arrays.equals(encodings[i], target.written())) {
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
            next = (next + 1) % DISTINCT_TEXTS;
            return text;
        }

        byte[] written() {
            return target.written();
        }
    }

    /** One input view that is pointed at one buffer full of strings after the other. */
    public static class ReadState extends TextState {

        /** {@code network}, {@code network-heap}, {@code deserializer} or {@code stream}. */
        @Param({"network", "network-heap", "deserializer"})
        public String view;

        DataInputView input;
        int untilNextBuffer;

        private ReadSource source;
        private int[] textsPerBuffer;
        private int next;

        @Setup(Level.Trial)
        public void setUp() throws IOException {
            setUpTexts();
            List<byte[]> buffers = fillBuffers();
            source = ReadSource.named(view, buffers);
            input = (DataInputView) source.input();
            int text = 0;
            for (int buffer = 0; buffer < buffers.size(); buffer++) {
                selectNextBuffer();
                for (; untilNextBuffer > 0; untilNextBuffer--) {
                    String expected = texts[text++];
                    String actual = StringSerializer.INSTANCE.deserialize(input);
                    if (!expected.equals(actual)) {
                        throw new IllegalStateException(
                                "Read '" + actual + "' instead of '" + expected + "'");
                    }
                }
            }
        }

        void selectNextBuffer() {
            source.select(next);
            untilNextBuffer = textsPerBuffer[next];
            next = (next + 1) % textsPerBuffer.length;
        }

        /** All strings in their order, as many whole ones per buffer as there is room for. */
        private List<byte[]> fillBuffers() {
            List<byte[]> buffers = new ArrayList<>();
            List<Integer> counts = new ArrayList<>();
            ByteArrayOutputStream buffer = new ByteArrayOutputStream();
            int count = 0;
            for (byte[] encoding : encodings) {
                if (count > 0 && buffer.size() + encoding.length > BUFFER_SIZE) {
                    buffers.add(buffer.toByteArray());
                    counts.add(count);
                    buffer.reset();
                    count = 0;
                }
                buffer.writeBytes(encoding);
                count++;
            }
            buffers.add(buffer.toByteArray());
            counts.add(count);
            textsPerBuffer = counts.stream().mapToInt(Integer::intValue).toArray();
            return buffers;
        }
    }
}
