// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.flink.benchmark.StringSerializationBenchmark.Cell;
import org.apache.flink.benchmark.StringSerializationBenchmark.CopyState;
import org.apache.flink.benchmark.StringSerializationBenchmark.ReadState;
import org.apache.flink.benchmark.StringSerializationBenchmark.WriteState;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That the measured methods do what they claim to, called as JMH calls them. */
class StringSerializationBenchmarkTest {

    private static final int BUFFER_SIZE = 32 * 1024;

    private final StringSerializationBenchmark benchmark = new StringSerializationBenchmark();

    @ParameterizedTest
    @CsvSource({
        "serializer,ascii,1",
        "serializer,ascii,4",
        "serializer,ascii,1024",
        "serializer,cjk,1024",
        "serializer,mixed,20000",
        "stream,cyrillic,128",
        "stream,latin1,2049"
    })
    void writeLeavesTheBytesOfAllTextsInTurn(String view, String kind, int length)
            throws IOException {
        Cell cell = cell(kind, length);
        WriteState state = writeState(cell, view);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        boolean cleared = false;
        for (int i = 0; i < cell.texts().length + 100; i++) {
            if (state.untilClear == 0) {
                cleared |= expected.size() > 0;
                expected.reset();
            }
            benchmark.write(state);
            expected.writeBytes(ReferenceEncoding.encode(cell.texts()[i % cell.texts().length]));
            assertThat(state.written()).isEqualTo(expected.toByteArray());
        }
        assertThat(cleared).isEqualTo(length > 64);
        assertThat(expected.size()).isLessThanOrEqualTo(Math.max(BUFFER_SIZE, 3 * length + 3));
    }

    @ParameterizedTest
    @CsvSource({
        "network,ascii,1",
        "network,ascii,4",
        "network,cjk,1024",
        "network,emoji,20000",
        "network-used,ascii,256",
        "network-heap,latin1,128",
        "deserializer,mixed,1024",
        "stream,cyrillic,16"
    })
    void readReturnsAllTextsInTurn(String view, String kind, int length) throws IOException {
        Cell cell = cell(kind, length);
        ReadState state = new ReadState();
        state.view = view;
        state.setUp(cell);
        for (int i = 0; i < cell.texts().length + 100; i++) {
            assertThat(benchmark.read(state)).isEqualTo(cell.texts()[i % cell.texts().length]);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "network,ascii,1",
        "network,mixed,1024",
        "network-heap,cjk,16",
        "deserializer,latin1,128",
        "deserializer,emoji,20000",
        "stream,cyrillic,2048"
    })
    void copyLeavesTheBytesOfOneInputBufferAfterTheOther(String view, String kind, int length)
            throws IOException {
        Cell cell = cell(kind, length);
        CopyState state = new CopyState();
        state.view = view;
        state.setUp(cell);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < cell.texts().length + 100; i++) {
            if (state.untilNextBuffer == 0) {
                expected.reset();
            }
            benchmark.copy(state);
            expected.writeBytes(ReferenceEncoding.encode(cell.texts()[i % cell.texts().length]));
            assertThat(state.written()).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void viewsAreTheOnesThatTheParameterNames() throws IOException {
        Cell cell = cell("ascii", 4);
        assertThat(writeState(cell, "serializer").output).isInstanceOf(DataOutputSerializer.class);
        assertThat(writeState(cell, "stream").output)
                .isInstanceOf(DataOutputViewStreamWrapper.class);

        CopyState copy = new CopyState();
        copy.view = "deserializer";
        copy.setUp(cell);
        assertThat(copy.input).isInstanceOf(DataInputDeserializer.class);
        assertThat(copy.output).isInstanceOf(DataOutputSerializer.class);
        copy.view = "stream";
        copy.setUp(cell);
        assertThat(copy.input).isInstanceOf(DataInputViewStreamWrapper.class);
        assertThat(copy.output).isInstanceOf(DataOutputViewStreamWrapper.class);
        copy.view = "network";
        copy.setUp(cell);
        assertThat(copy.input.getClass().getName()).endsWith("NonSpanningWrapper");
        assertThat(copy.output).isInstanceOf(DataOutputSerializer.class);
    }

    @Test
    void threadsShareTheStringsAndNothingElse() throws IOException {
        Cell cell = cell("ascii", 16);
        WriteState one = writeState(cell, "serializer");
        WriteState other = writeState(cell, "serializer");
        assertThat(one.output).isNotSameAs(other.output);
        benchmark.write(one);
        benchmark.write(one);
        benchmark.write(other);
        assertThat(one.written()).hasSize(2 * 17);
        assertThat(other.written()).isEqualTo(ReferenceEncoding.encode(cell.texts()[0]));
    }

    @ParameterizedTest
    @CsvSource({
        "1,64",
        "4,2048",
        "128,2048",
        "1024,256",
        "4096,64",
        "16384,64",
        "65536,64",
        "65537,63",
        "1048576,4",
        "9000000,1"
    })
    void dataOfACellFitTheHeap(int length, int count) {
        assertThat(Texts.count(length)).isEqualTo(count);
    }

    @Test
    void unknownParametersAreRefused() throws IOException {
        Cell cell = cell("ascii", 4);
        assertThatThrownBy(() -> writeState(cell, "network"))
                .hasMessageContaining("choose serializer or stream");
        ReadState read = new ReadState();
        read.view = "serializer";
        assertThatThrownBy(() -> read.setUp(cell))
                .hasMessageContaining("choose network, network-used, network-heap");
        cell.profile = "mxied";
        assertThatThrownBy(cell::setUp).hasMessageContaining("'mxied'; choose mixed or pure");
    }

    private static Cell cell(String kind, int length) throws IOException {
        Cell cell = new Cell();
        cell.kind = kind;
        cell.length = length;
        cell.profile = "pure";
        cell.setUp();
        String[] recorded = TextKind.named(kind).drawDistinct(Texts.count(length), length, 14_346);
        assertThat(cell.texts()).isEqualTo(recorded);
        return cell;
    }

    private static WriteState writeState(Cell cell, String view) throws IOException {
        WriteState state = new WriteState();
        state.view = view;
        state.setUp(cell);
        return state;
    }
}
