// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.woven.SpanningRecordSerializerMemory;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.junit.jupiter.api.Test;

/** The class under test is the woven one, and the body that runs is the one of the mode. */
class FramedSerializerTest {

    private static final String NAME =
            "org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer";

    private final SpanningRecordSerializer<Record> serializer = new SpanningRecordSerializer<>();

    @Test
    void classPathGivesOurClassAndTheOtherLoaderGivesStocks() {
        assertThat(Sides.patchedType(NAME)).isSameAs(SpanningRecordSerializer.class);
        assertThat(bodiesKept(SpanningRecordSerializer.class))
                .containsExactlyInAnyOrder(
                        "serializeRecord$flinkBoostStock",
                        "copyToBufferBuilder$flinkBoostStock",
                        "prune$flinkBoostStock");
        assertThat(Sides.stockType(NAME)).isNotSameAs(SpanningRecordSerializer.class);
        assertThat(bodiesKept(Sides.stockType(NAME))).isEmpty();
    }

    /** Switched on, stock's buffer of the length has no room and the record starts with it. */
    @Test
    void theLengthLiesInFrontOfTheRecord() throws IOException {
        serializer.serializeRecord(new Record());
        int capacity = fields().boostLength().limit();
        assertThat(capacity).isEqualTo(BoostMode.ENABLED ? 0 : 4);
        byte[] length = {0, 0, 0, 3};
        byte[] record = {1, 2, 3};
        byte[] both = {0, 0, 0, 3, 1, 2, 3};
        assertThat(array(fields().boostData())).isEqualTo(BoostMode.ENABLED ? both : record);
        if (!BoostMode.ENABLED) {
            assertThat(array(fields().boostLength())).isEqualTo(length);
        }
    }

    /** As one piece when on, so that the second copy of stock is not even tried. */
    @Test
    void theLengthBufferIsNotAppended() throws IOException {
        serializer.serializeRecord(new Record());
        BufferBuilder buffer =
                new BufferBuilder(
                        MemorySegmentFactory.wrap(new byte[2]), FreeingBufferRecycler.INSTANCE);
        serializer.copyToBufferBuilder(buffer);
        assertThat(fields().boostData().position()).isEqualTo(BoostMode.ENABLED ? 2 : 0);
        assertThat(fields().boostLength().position()).isEqualTo(BoostMode.ENABLED ? 0 : 2);
    }

    private SpanningRecordSerializerMemory fields() {
        return (SpanningRecordSerializerMemory) serializer;
    }

    private static byte[] array(java.nio.ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static List<String> bodiesKept(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .map(method -> method.getName())
                .filter(name -> name.endsWith("$flinkBoostStock"))
                .collect(Collectors.toList());
    }

    private static final class Record implements IOReadableWritable {

        @Override
        public void write(DataOutputView out) throws IOException {
            out.write(new byte[] {1, 2, 3});
        }

        @Override
        public void read(DataInputView in) {
            throw new UnsupportedOperationException();
        }
    }
}
