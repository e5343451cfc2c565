// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tuples, moved by generated code and by stock. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TupleAccessTest {

    /** Somebody's own. */
    @SuppressWarnings("unchecked") // Flink's tuples override a generic method by a plain one.
    public static class Pair extends Tuple2<Integer, Integer> {
        private static final long serialVersionUID = 1L;
    }

    static final class TuplePair extends AccessPair {

        private final Class<?> type;
        private final TypeSerializer<?>[] serializers;

        TuplePair(TypeSerializer<?>... serializers) {
            this(Tuple.getTupleClass(serializers.length), serializers);
        }

        TuplePair(Class<?> type, TypeSerializer<?>... serializers) {
            super(StockSerializers.tuple(type, serializers));
            this.type = type;
            this.serializers = serializers;
        }

        @Override
        RecordAccess access() throws InterruptedException {
            RecordAccess access = Accesses.ofTuple(type, serializers);
            while (access.isPreliminary()) {
                Thread.sleep(1);
                access = Accesses.ofTuple(type, serializers);
            }
            return access;
        }

        Object tuple(Object... values) {
            Tuple tuple = Tuple.newInstance(values.length);
            for (int i = 0; i < values.length; i++) {
                tuple.setField(values[i], i);
            }
            return tuple;
        }
    }

    @Test
    void ofEveryArity() throws Exception {
        Random random = new Random(7);
        for (int arity = 1; arity <= Tuple.MAX_ARITY; arity++) {
            for (int i = 0; i < 5; i++) {
                ColumnValues values = new ColumnValues(arity, random);
                TuplePair pair = new TuplePair(values.serializers);
                assertThat(pair.access()).isNotSameAs(RecordAccess.STOCK);
                pair.assertSame(pair.tuple(values.right()));
            }
        }
    }

    @Test
    void whatASerializerDoesNotTakeEndsAsInStock() throws Exception {
        Random random = new Random(8);
        for (int i = 0; i < 100; i++) {
            ColumnValues values = new ColumnValues(1 + random.nextInt(8), random);
            TuplePair pair = new TuplePair(values.serializers);
            for (int place = 0; place < values.serializers.length; place++) {
                for (Object other : new Object[] {null, 'x', "text", 5, 5L, new Object[0]}) {
                    Object tuple = pair.tuple(values.with(place, other));
                    assertThat(pair.ourCopy(tuple)).isEqualTo(pair.stockCopy(tuple));
                    assertThat(pair.ourWrite(tuple)).isEqualTo(pair.stockWrite(tuple));
                }
            }
        }
    }

    @Test
    void aNullIsNamedByItsColumn() throws Exception {
        TuplePair pair = new TuplePair(IntSerializer.INSTANCE, IntSerializer.INSTANCE);
        assertThat(pair.ourWrite(pair.tuple(1, null)))
                .contains("NullFieldException: Field 1 is null")
                .endsWith("[0, 0, 0, 1]");
    }

    @Test
    void cutOffAnywhereItEndsAsInStock() throws Exception {
        ColumnValues values = new ColumnValues(20, new Random(9));
        TuplePair pair = new TuplePair(values.serializers);
        pair.assertEndsAlike(pair.bytes(pair.tuple(values.right())));
    }

    @Test
    void whatIsOfAnotherClassIsHandedOver() throws Exception {
        TuplePair pair = new TuplePair(IntSerializer.INSTANCE, IntSerializer.INSTANCE);
        for (Object other : new Object[] {null, new Pair(), "x"}) {
            assertThat(pair.access().copy(other)).isSameAs(RecordAccess.TO_STOCK);
            assertThat(pair.access().serialize(other, new DataOutputSerializer(1))).isFalse();
        }
        TuplePair own = new TuplePair(Pair.class, IntSerializer.INSTANCE, IntSerializer.INSTANCE);
        assertThat(own.access()).isSameAs(RecordAccess.STOCK);
    }
}
