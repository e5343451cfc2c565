// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to get one record out of network buffers, of a channel that changes every few buffers.
 *
 * <p>The deserializers are Flink's own, one for each channel; buffers are off-heap, full, and cut
 * records where they end.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms256m", "-Xmx256m", "-Xmn64m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class RecordReaderBenchmark {

    @Benchmark
    public StreamElement read(Input state) throws IOException {
        return state.input.nextRecord();
    }

    /** A task's input. */
    @State(Scope.Thread)
    public static class Input {

        /** They take turns of a few buffers. */
        @Param({"1", "100"})
        public int channels;

        ChannelInput input;

        @Setup(Level.Trial)
        public void setUp(Records records) throws IOException {
            input = new ChannelInput(records, channels);
            for (int channel = 0; channel < channels; channel++) {
                for (int i = 0; i < input.recordsPerTurn(); i++) {
                    StreamRecord<?> record = input.nextRecord().asRecord();
                    records.requireValue(i % records.values().length, record.getValue());
                }
            }
        }
    }
}
