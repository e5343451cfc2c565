// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.benchmark.RecordSerializationBenchmark.Cell;
import org.apache.flink.benchmark.RecordSerializationBenchmark.CopyState;
import org.apache.flink.benchmark.RecordSerializationBenchmark.ReadState;
import org.apache.flink.benchmark.RecordSerializationBenchmark.WriteState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordSerializationBenchmarkTest {

    /** More records than there are, and more than a view has room for. */
    private static final int ROUNDS = 1500;

    private final RecordSerializationBenchmark benchmark = new RecordSerializationBenchmark();

    @ParameterizedTest
    @EnumSource
    void everyTypeGoesThroughEveryView(RecordForm form) throws IOException {
        assumeTrue(form.isSupported());
        Cell cell = cell(form.parameter());
        Object[] records = form.records();
        for (String view : new String[] {"serializer", "stream"}) {
            WriteState state = new WriteState();
            state.view = view;
            state.setUp(cell);
            for (int i = 0; i < ROUNDS; i++) {
                benchmark.write(state);
            }
        }
        for (String view : new String[] {"network", "stream"}) {
            ReadState state = new ReadState();
            state.view = view;
            state.setUp(cell);
            for (int i = 0; i < ROUNDS; i++) {
                int record = i % cell.encodings().length;
                state.requireEqual(record, benchmark.read(state), cell);
            }
        }
        CopyState state = new CopyState();
        state.setUp(cell);
        for (int i = 0; i < ROUNDS; i++) {
            int record = i % cell.encodings().length;
            Object copy = benchmark.copy(state);
            state.requireEqual(record, copy, cell);
            assertThat(copy).isNotSameAs(records[record]);
        }
    }

    /** All but the order have the same values. */
    @Test
    void recordsDiffer() throws IOException {
        for (RecordForm form : RecordForm.values()) {
            if (form.isSupported()) {
                Set<String> encodings = new HashSet<>();
                for (byte[] encoding : form.encodings()) {
                    encodings.add(Arrays.toString(encoding));
                }
                assertThat(encodings).as(form.parameter()).hasSize(1024);
            }
        }
    }

    @Test
    void aWrongByteStopsEachBenchmark() throws IOException {
        Cell cell = cell("pojo");
        byte[] wrong = cell.encodings()[7];
        wrong[wrong.length - 1] ^= 1;
        CopyState copying = new CopyState();
        assertThatThrownBy(() -> copying.setUp(cell))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Record 7 is another one: ");
        WriteState writing = new WriteState();
        writing.view = "stream";
        assertThatThrownBy(() -> writing.setUp(cell))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Wrong bytes on the view stream");
        ReadState reading = new ReadState();
        reading.view = "network";
        reading.setUp(cell);
        assertThatThrownBy(() -> reading.requireEqual(7, cell("pojo"), cell))
                .isInstanceOf(RuntimeException.class);
    }

    @Test
    void unknownTypesAreNamed() {
        assertThatThrownBy(() -> cell("json"))
                .hasMessage(
                        "Unknown type 'json'; choose one of pojo, record, tuple, row, kryo, avro,"
                                + " avro-reflect");
    }

    private static Cell cell(String type) throws IOException {
        Cell cell = new Cell();
        cell.type = type;
        cell.setUp();
        return cell;
    }
}
