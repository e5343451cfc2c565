// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the record benchmarks send is what arrives, and they notice when it is not. */
class RecordBenchmarksTest {

    private static final int[] SIZES = {8, 16, 64, 256, 1024, 32768, 1 << 20};
    private static final String[] TYPES = {"string", "tuple", "bytes"};

    @Test
    void recordsHaveTheSizeOfTheirCell() throws IOException {
        for (String type : TYPES) {
            for (int size : SIZES) {
                Records records = records(size, type);
                assertThat(records.values()).hasSizeGreaterThanOrEqualTo(4);
                assertThat(records.frames().length).isEqualTo(records.values().length);
                for (byte[] frame : records.frames()) {
                    assertThat(frame).hasSize(4 + size);
                    assertThat(ByteBuffer.wrap(frame).getInt()).isEqualTo(size);
                }
            }
        }
    }

    /** A row is as long as its words: 5 bytes for tag and length, then multiples of 8. */
    @ParameterizedTest
    @CsvSource({
        "29,29",
        "32,29",
        "64,61",
        "256,253",
        "1024,1021",
        "32768,32765",
        "1048576,1048573"
    })
    void rowsHaveTheNextSizeBelow(int size, int taken) throws IOException {
        for (byte[] frame : records(size, "row").frames()) {
            assertThat(frame).hasSize(4 + taken);
            assertThat(ByteBuffer.wrap(frame).getInt()).isEqualTo(taken);
        }
    }

    /** More of them than all buffers hold: with one that nobody takes the writer would wait. */
    @ParameterizedTest
    @CsvSource({"1,8", "1,1024", "1,1048576", "100,8", "100,1024", "100,32768", "100,1048576"})
    void outputNeverWaitsForMemory(int channels, int size) throws Exception {
        RecordWriterBenchmark.Output output = new RecordWriterBenchmark.Output();
        output.channels = channels;
        assertTimeoutPreemptively(
                Duration.ofMinutes(2),
                () -> {
                    output.setUp(records(size, "bytes"));
                    for (long sent = 0; sent < 16 << 20; sent += size) {
                        output.emitNext();
                    }
                });
        output.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 100})
    void inputGivesTheRecordsOfOneChannelAfterTheOther(int channels) throws IOException {
        Records records = records(1000, "tuple");
        ChannelInput input = new ChannelInput(records, channels);
        for (int turn = 0; turn < 2 * channels + 1; turn++) {
            List<Object> read = new ArrayList<>();
            for (int i = 0; i < input.recordsPerTurn(); i++) {
                read.add(((StreamRecord<?>) input.nextRecord()).getValue());
            }
            assertThat(read).hasSizeGreaterThan(4 * 32);
            for (int i = 0; i < read.size(); i++) {
                assertThat(read.get(i)).isEqualTo(records.values()[i % records.values().length]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void aWrongByteStopsTheWriterBenchmark(int channels) throws Exception {
        Records records = records(64, "string");
        records.frames()[7][50] ^= 1;
        RecordWriterBenchmark.Output output = new RecordWriterBenchmark.Output();
        output.channels = channels;
        assertThatThrownBy(() -> output.setUp(records))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Wrong bytes arrived on channel " + 7 % channels);
        output.close();
    }

    @Test
    void aWrongByteStopsTheReaderBenchmark() throws IOException {
        Records records = records(64, "bytes");
        records.frames()[7][50] ^= 1;
        RecordReaderBenchmark.Input input = new RecordReaderBenchmark.Input();
        input.channels = 1;
        assertThatThrownBy(() -> input.setUp(records))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Record 7 was not read as it was written");
    }

    @Test
    void unknownParametersAreNamed() {
        assertThatThrownBy(() -> records(8, "json")).hasMessageContaining("Unknown type 'json'");
        assertThatThrownBy(() -> records(28, "row")).hasMessage("No row takes 27 bytes");
        assertThatThrownBy(() -> records(129, "string"))
                .hasMessage("No string takes exactly 128 bytes");
        Records records = new Records();
        records.size = 8;
        records.type = "bytes";
        records.profile = "both";
        assertThatThrownBy(records::setUp).hasMessageContaining("Unknown profile 'both'");
    }

    private static Records records(int size, String type) throws IOException {
        Records records = new Records();
        records.size = size;
        records.type = type;
        records.profile = "pure";
        records.setUp();
        return records;
    }
}
