// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.io.network.api.serialization.SpanningRecordSerializer;
import org.junit.jupiter.api.Test;

/**
 * Where a record is in the output while it writes itself: behind the four bytes of its length, as
 * in Flink 1.10 and newer, where stock's 1.9 begins at 0. Who looks at the output as a {@code
 * DataOutputSerializer} can tell; who writes to it as a view cannot.
 */
class RecordStartTest {

    private static final int LENGTH = 4;

    @Test
    void aRecordBeginsBehindItsLength() throws IOException {
        SpanningRecordSerializer<Watching> serializer = new SpanningRecordSerializer<>();
        Watching record = new Watching();
        serializer.serializeRecord(record);
        serializer.serializeRecord(record);

        int start = BoostMode.ENABLED ? LENGTH : 0;
        assertThat(record.lengths).containsExactly(start, start + 3, start, start + 3);
    }

    /** What the difference is held against. */
    @Test
    void stocksRecordBeginsAtZero() throws ReflectiveOperationException {
        Class<?> type = Sides.stockType(SpanningRecordSerializer.class.getName());
        Field buffer = type.getDeclaredField("serializationBuffer");
        buffer.setAccessible(true);
        Object out = buffer.get(type.getConstructor().newInstance());
        assertThat(out.getClass().getMethod("length").invoke(out)).isEqualTo(0);
    }

    /** Remembers how far the output is before and after it writes three bytes. */
    private static final class Watching implements IOReadableWritable {

        private final List<Integer> lengths = new ArrayList<>();

        @Override
        public void write(DataOutputView out) throws IOException {
            lengths.add(((DataOutputSerializer) out).length());
            out.write(new byte[] {1, 2, 3});
            lengths.add(((DataOutputSerializer) out).length());
        }

        @Override
        public void read(DataInputView in) {
            throw new UnsupportedOperationException();
        }
    }
}
