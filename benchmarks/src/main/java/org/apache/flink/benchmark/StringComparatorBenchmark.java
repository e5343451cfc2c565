// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.serializer.StringSerializer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to write or read one string with what others have for it, for comparison with the cells of
 * {@link StringSerializationBenchmark} that have the same length and kind: the same strings, turn
 * and buffers.
 *
 * <p>None of them goes through Flink's views; each is measured at its best, called directly on an
 * array. With profile {@code mixed} its code has seen all kinds and many lengths before, but its
 * call sites stay those of one class.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class StringComparatorBenchmark {

    /** The bytes of the string in Flink's format, copied: no writer can be faster. */
    @Benchmark
    public void writeMemcpy(PlainCopy state) throws IOException {
        state.write();
    }

    /** A string made of its characters at hand: no reader can be faster. */
    @Benchmark
    public String readNewString(PlainCopy state) throws IOException {
        return state.read();
    }

    @Benchmark
    public void writeUtf(JavaUtf state) throws IOException {
        state.write();
    }

    @Benchmark
    public String readUtf(JavaUtf state) throws IOException {
        return state.read();
    }

    @Benchmark
    public void writeKryo(Kryo state) throws IOException {
        state.write();
    }

    @Benchmark
    public String readKryo(Kryo state) throws IOException {
        return state.read();
    }

    @Benchmark
    public void writeFory(ForyStrings state) throws IOException {
        state.write();
    }

    @Benchmark
    public String readFory(ForyStrings state) throws IOException {
        return state.read();
    }

    /** Strings, and comparators that have seen others when the profile is {@code mixed}. */
    public static class Cell extends Texts {
        @Override
        void pollute() throws IOException {
            String[] texts = CallSitePolluter.drawTexts().toArray(new String[0]);
            byte[][] encodings =
                    Arrays.stream(texts).map(ReferenceEncoding::encode).toArray(byte[][]::new);
            for (ComparatorState state : all()) {
                state.pollute(texts, encodings);
            }
        }
    }

    /** One of each. */
    static List<ComparatorState> all() {
        return List.of(new PlainCopy(), new JavaUtf(), new Kryo(), new ForyStrings());
    }

    /** Copies of bytes that are there already, and strings of characters that are. */
    public static class PlainCopy extends ComparatorState {
        private byte[][] encodings;
        private byte[][] latin1;
        private char[][] utf16;
        private byte[] output;
        private int position;

        @Override
        void prepare(String[] texts, byte[][] newEncodings, int capacity) {
            encodings = newEncodings;
            output = new byte[capacity];
            latin1 = new byte[texts.length][];
            utf16 = new char[texts.length][];
            for (int i = 0; i < texts.length; i++) {
                if (texts[i].chars().allMatch(c -> c < 0x100)) {
                    latin1[i] = new byte[texts[i].length()];
                    for (int j = 0; j < latin1[i].length; j++) {
                        latin1[i][j] = (byte) texts[i].charAt(j);
                    }
                } else {
                    utf16[i] = texts[i].toCharArray();
                }
            }
        }

        @Override
        void clear() {
            position = 0;
        }

        @Override
        void encode(int text) {
            byte[] bytes = encodings[text];
            System.arraycopy(bytes, 0, output, position, bytes.length);
            position += bytes.length;
        }

        @Override
        byte[] written() {
            return Arrays.copyOf(output, position);
        }

        @Override
        void open(byte[] buffer) {}

        @Override
        @SuppressWarnings("deprecation") // The only constructor that copies and does nothing else.
        String decode(int text) {
            byte[] bytes = latin1[text];
            return bytes == null ? new String(utf16[text]) : new String(bytes, 0);
        }
    }

    /** Java's modified UTF-8 in a byte array stream; up to 65,535 bytes. */
    public static class JavaUtf extends ComparatorState {
        private ByteArrayOutputStream bytes;
        private DataOutputStream output;
        private DataInputStream input;

        @Override
        void prepare(String[] texts, byte[][] encodings, int capacity) {
            bytes = new ByteArrayOutputStream(capacity);
            output = new DataOutputStream(bytes);
        }

        @Override
        void clear() {
            bytes.reset();
        }

        @Override
        void encode(int text) throws IOException {
            output.writeUTF(text(text));
        }

        @Override
        byte[] written() {
            return bytes.toByteArray();
        }

        @Override
        void open(byte[] buffer) {
            input = new DataInputStream(new ByteArrayInputStream(buffer));
        }

        @Override
        String decode(int text) throws IOException {
            return input.readUTF();
        }
    }

    /** The Kryo that the Flink line brings along: 2.24 or 5.6. */
    public static class Kryo extends ComparatorState {
        private final Input input = new Input();
        private Output output;

        @Override
        void prepare(String[] texts, byte[][] encodings, int capacity) {
            output = new Output(capacity);
        }

        @Override
        void clear() {
            output.setPosition(0);
        }

        @Override
        void encode(int text) {
            output.writeString(text(text));
        }

        @Override
        byte[] written() {
            return output.toBytes();
        }

        @Override
        void open(byte[] buffer) {
            input.setBuffer(buffer);
        }

        @Override
        String decode(int text) {
            return input.readString();
        }
    }

    /**
     * Apache Fory: the bytes that the JDK keeps inside a string, as they are. Told to compress
     * strings it does the same with these kinds.
     */
    public static class ForyStrings extends ComparatorState {
        private final MemoryBuffer input = MemoryBuffer.newHeapBuffer(0);
        private final StringSerializer serializer =
                new StringSerializer(Fory.builder().build().getConfig());
        private MemoryBuffer output;

        @Override
        void prepare(String[] texts, byte[][] encodings, int capacity) {
            output = MemoryBuffer.newHeapBuffer(capacity);
        }

        @Override
        void clear() {
            output.writerIndex(0);
        }

        @Override
        void encode(int text) {
            serializer.writeString(output, text(text));
        }

        @Override
        byte[] written() {
            return output.getBytes(0, output.writerIndex());
        }

        @Override
        void open(byte[] buffer) {
            input.pointTo(buffer, 0, buffer.length);
            input.readerIndex(0);
        }

        @Override
        String decode(int text) {
            return serializer.readString(input);
        }
    }
}
