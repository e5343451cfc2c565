// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows, moved by generated code and by stock. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RowAccessTest {

    static final class RowPair extends AccessPair {

        private final TypeSerializer<?>[] serializers;
        private final LinkedHashMap<String, Integer> positions;
        private final boolean hasKind;

        RowPair(
                TypeSerializer<?>[] serializers,
                LinkedHashMap<String, Integer> positions,
                boolean hasKind) {
            super(StockSerializers.row(serializers, positions, hasKind));
            this.serializers = serializers;
            this.positions = positions;
            this.hasKind = hasKind;
        }

        @Override
        RecordAccess access() throws InterruptedException {
            RecordAccess access = Accesses.ofRow(serializers, hasKind, positions);
            while (access.isPreliminary()) {
                Thread.sleep(1);
                access = Accesses.ofRow(serializers, hasKind, positions);
            }
            return access;
        }
    }

    private static LinkedHashMap<String, Integer> names(int count) {
        LinkedHashMap<String, Integer> names = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            names.put("name" + i, i);
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofEveryArityAndKind(boolean hasKind) throws Exception {
        Random random = new Random(5);
        for (int arity = 0; arity <= 62; arity++) {
            ColumnValues values = new ColumnValues(arity, random);
            boolean named = arity % 2 == 0;
            RowPair pair = new RowPair(values.serializers, named ? names(arity) : null, hasKind);
            assertThat(pair.access()).isNotSameAs(RecordAccess.STOCK);
            for (RowKind kind : RowKind.values()) {
                Object[] some = values.right();
                for (int i = 0; i < arity; i++) {
                    some[i] = random.nextInt(3) == 0 ? null : some[i];
                }
                pair.assertSame(Row.ofKind(kind, some));
                pair.assertSame(Row.ofKind(kind, values.right()));
                pair.assertSame(Row.ofKind(kind, new Object[arity]));
            }
        }
    }

    @Test
    void whatASerializerDoesNotTakeEndsAsInStock() throws Exception {
        Random random = new Random(6);
        for (int i = 0; i < 100; i++) {
            ColumnValues values = new ColumnValues(1 + random.nextInt(8), random);
            RowPair pair = new RowPair(values.serializers, null, true);
            for (int place = 0; place < values.serializers.length; place++) {
                for (Object other : new Object[] {'x', "text", 5, 5L, new Object[0]}) {
                    Row row = Row.of(values.with(place, other));
                    assertThat(pair.ourCopy(row)).isEqualTo(pair.stockCopy(row));
                    assertThat(pair.ourWrite(row)).isEqualTo(pair.stockWrite(row));
                }
            }
        }
    }

    @Test
    void anyMaskIsReadAsByStock() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            ColumnValues values = ColumnValues.ofFixedWidth(1 + random.nextInt(20), random);
            RowPair pair = new RowPair(values.serializers, null, random.nextBoolean());
            byte[] bytes = pair.bytes(Row.of(values.right()));
            bytes[0] = (byte) random.nextInt();
            for (int length = 0; length <= bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThat(pair.ourRead(cut)).isEqualTo(pair.stockRead(cut));
            }
        }
    }

    @Test
    void whatHasNoPositionsIsHandedOver() throws Exception {
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE, IntSerializer.INSTANCE};
        RowPair pair = new RowPair(serializers, names(2), true);
        Row named = Row.withNames();
        named.setField("name0", 1);
        for (Object other : new Object[] {null, named, Row.of(1), "x"}) {
            assertThat(pair.access().copy(other)).isSameAs(RecordAccess.TO_STOCK);
            assertThat(pair.access().serialize(other, new DataOutputSerializer(1))).isFalse();
        }
        assertThat(Accesses.ofRow(new TypeSerializer<?>[63], true, null))
                .isSameAs(RecordAccess.STOCK);
    }
}
