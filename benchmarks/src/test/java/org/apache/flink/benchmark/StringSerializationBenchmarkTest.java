// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.flink.benchmark.StringSerializationBenchmark.ReadState;
import org.apache.flink.benchmark.StringSerializationBenchmark.WriteState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That the measured methods do what they claim to, called as JMH calls them. */
class StringSerializationBenchmarkTest {

    private final StringSerializationBenchmark benchmark = new StringSerializationBenchmark();

    @ParameterizedTest
    @CsvSource({
        "serializer,ascii,4",
        "serializer,ascii,1024",
        "serializer,cjk,1024",
        "serializer,mixed,20000",
        "stream,cyrillic,128"
    })
    void writeLeavesTheBytesOfAllTextsInTurn(String view, String kind, int length)
            throws IOException {
        WriteState state = new WriteState();
        state.view = view;
        state.kind = kind;
        state.length = length;
        state.profile = "pure";
        state.setUp();
        String[] texts =
                TextKind.named(kind)
                        .drawDistinct(StringSerializationBenchmark.DISTINCT_TEXTS, length, 14_346);

        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        boolean cleared = false;
        for (int i = 0; i < 300; i++) {
            if (state.untilClear == 0) {
                cleared |= expected.size() > 0;
                expected.reset();
            }
            benchmark.write(state);
            expected.writeBytes(ReferenceEncoding.encode(texts[i % texts.length]));
            assertThat(state.written()).isEqualTo(expected.toByteArray());
        }
        assertThat(cleared).isEqualTo(length > 64);
        assertThat(expected.size()).isLessThanOrEqualTo(Math.max(32 * 1024, 3 * length + 3));
    }

    @ParameterizedTest
    @CsvSource({
        "network,ascii,4",
        "network,cjk,1024",
        "network,emoji,20000",
        "network-heap,latin1,128",
        "deserializer,mixed,1024",
        "stream,cyrillic,16"
    })
    void readReturnsAllTextsInTurn(String view, String kind, int length) throws IOException {
        ReadState state = new ReadState();
        state.view = view;
        state.kind = kind;
        state.length = length;
        state.profile = "pure";
        state.setUp();
        String[] texts =
                TextKind.named(kind)
                        .drawDistinct(StringSerializationBenchmark.DISTINCT_TEXTS, length, 14_346);

        for (int i = 0; i < 300; i++) {
            assertThat(benchmark.read(state)).isEqualTo(texts[i % texts.length]);
        }
    }

    @Test
    void unknownParametersAreRefused() {
        WriteState write = new WriteState();
        write.kind = "ascii";
        write.length = 4;
        write.profile = "mxied";
        write.view = "serializer";
        assertThatThrownBy(write::setUp).hasMessageContaining("'mxied'; choose mixed or pure");
        write.profile = "pure";
        write.view = "network";
        assertThatThrownBy(write::setUp).hasMessageContaining("choose serializer or stream");

        ReadState read = new ReadState();
        read.kind = "ascii";
        read.length = 4;
        read.profile = "pure";
        read.view = "serializer";
        assertThatThrownBy(read::setUp).hasMessageContaining("choose network, network-heap");
    }
}
