// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to hand one record to a task's output: serialized, framed and copied to a network buffer of
 * the next channel.
 *
 * <p>Record writer, partition, buffers and their pool are Flink's own. Full buffers are taken away
 * by the same thread, as the network would, but nobody reads them; that is once per 32 KB.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class RecordWriterBenchmark {

    @Benchmark
    public void emit(Output state) throws IOException, InterruptedException {
        state.emitNext();
    }

    /** A task's output, and the records that it is given in turn. */
    @State(Scope.Thread)
    public static class Output {

        /** Records go to one after the other. */
        @Param({"1", "100"})
        public int channels;

        private final StreamRecord<Object> record = new StreamRecord<>(null);

        private TaskOutput output;
        private SerializationDelegate<StreamElement> delegate;
        private Object[] values;
        private int next;

        @Setup(Level.Trial)
        public void setUp(Records records) throws IOException, InterruptedException {
            values = records.values();
            delegate = new SerializationDelegate<>(records.newSerializer());
            output = new TaskOutput(channels, Integer.BYTES + records.size);
            requireFrames(records.frames());
        }

        /** Sends every record once and looks at what arrives. */
        private void requireFrames(byte[][] frames) throws IOException, InterruptedException {
            ByteArrayOutputStream[] sent = perChannel();
            ByteArrayOutputStream[] arrived = perChannel();
            ObjIntConsumer<Buffer> receiver =
                    (buffer, channel) -> {
                        byte[] bytes = new byte[buffer.readableBytes()];
                        buffer.getNioBufferReadable().get(bytes);
                        arrived[channel].writeBytes(bytes);
                    };
            for (int i = 0; i < frames.length; i++) {
                sent[i % channels].writeBytes(frames[i]);
                output.emit(nextRecord());
                output.drain(receiver);
            }
            output.flush();
            output.drain(receiver);
            for (int i = 0; i < channels; i++) {
                if (!Arrays.equals(sent[i].toByteArray(), arrived[i].toByteArray())) {
                    throw new IllegalStateException("Wrong bytes arrived on channel " + i);
                }
            }
        }

        private ByteArrayOutputStream[] perChannel() {
            return Stream.generate(ByteArrayOutputStream::new)
                    .limit(channels)
                    .toArray(ByteArrayOutputStream[]::new);
        }

        void emitNext() throws IOException, InterruptedException {
            output.emit(nextRecord());
            if (output.hasFullBuffers()) {
                output.drain(TaskOutput.NOBODY);
            }
        }

        /** As a task does: one stream record and one delegate for all values. */
        private SerializationDelegate<StreamElement> nextRecord() {
            record.replace(values[next]);
            next = next + 1 == values.length ? 0 : next + 1;
            delegate.setInstance(record);
            return delegate;
        }

        @TearDown(Level.Trial)
        public void close() throws IOException {
            output.close();
        }
    }
}
