// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Constructors are called as often and in the order of stock, and what they throw looks the same.
 */
class ConstructorFailureTest {

    private static final List<Throwable> FAILURES =
            Arrays.asList(
                    new IllegalStateException("unchecked"),
                    new IOException("checked"),
                    new AssertionError("error"),
                    new RuntimeException("Cannot instantiate class.", new IOException("inner")),
                    new InvocationTargetException(new IOException("target")));

    /** A record with two of another class inside, of which one is null. */
    private static RecordPair nested(boolean record) throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> part =
                (record ? MadeType.record("made.Part") : MadeType.pojo("made.Part"))
                        .with("a", int.class)
                        .in(loader);
        Class<?> whole =
                (record ? MadeType.record("made.Whole") : MadeType.pojo("made.Whole"))
                        .with("before", int.class)
                        .with("first", part)
                        .with("none", part)
                        .with("second", part)
                        .in(loader);
        RecordPair inner = new RecordPair(part, IntSerializer.INSTANCE);
        return new RecordPair(
                whole,
                IntSerializer.INSTANCE,
                StockSerializers.pojo(part, inner.fields, inner.serializers),
                StockSerializers.pojo(part, inner.fields, inner.serializers),
                StockSerializers.pojo(part, inner.fields, inner.serializers));
    }

    private static Object value(RecordPair pair) throws Exception {
        RecordPair inner = new RecordPair(pair.fields[1].getType(), IntSerializer.INSTANCE);
        return pair.make(1, inner.make(2), null, inner.make(3));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void constructorsAreCalledAsByStock(boolean record) throws Exception {
        RecordPair pair = nested(record);
        Object value = value(pair);
        pair.assertSame(value);
        assertThat(pair.ourCopy(value)).contains("made [").contains("Whole").contains("Part");
    }

    /** Some releases make an object for each nested field before they read one in its place. */
    @Test
    void nestedPojosAreMadeAsOftenAsByStock() throws Exception {
        RecordPair pair = nested(false);
        byte[] bytes = pair.bytes(value(pair));
        String read = pair.ourRead(bytes);
        assertThat(read).isEqualTo(pair.stockRead(bytes));
        boolean initialises = StockManner.ask().initialises();
        String parts = "Part, ".repeat(initialises ? 5 : 2).replaceAll(", $", "");
        assertThat(read).contains(" made [Whole, " + parts + "]");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAnyOfThemThrowsIsWrappedAsByStock(boolean record) throws Exception {
        RecordPair pair = nested(record);
        Object value = value(pair);
        byte[] bytes = pair.bytes(value);
        for (Throwable failure : FAILURES) {
            for (int at = 0; at < 6; at++) {
                String copied = failing(at, failure, () -> pair.stock.copy(value));
                RecordAccess access = pair.access();
                assertThat(failing(at, failure, () -> access.copy(value))).isEqualTo(copied);
                String read = failing(at, failure, () -> pair.stock.deserialize(in(bytes)));
                assertThat(failing(at, failure, () -> access.deserialize(in(bytes))))
                        .isEqualTo(read);
            }
        }
    }

    private static DataInputDeserializer in(byte[] bytes) {
        return new DataInputDeserializer(bytes);
    }

    private interface Making {
        Object make() throws Exception;
    }

    private static String failing(int at, Throwable failure, Making making) {
        Witness.reset(at, failure);
        try {
            return Outcome.of(() -> ObjectText.of(making.make()));
        } finally {
            Witness.reset();
        }
    }
}
