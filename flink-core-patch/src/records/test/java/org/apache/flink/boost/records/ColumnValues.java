// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.math.BigDecimal;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.IntPrimitiveArraySerializer;

/** Serializers of columns with values that they take, with null, and with what they do not take. */
final class ColumnValues {

    private static final TypeSerializer<?>[] SERIALIZERS = {
        BooleanSerializer.INSTANCE,
        ByteSerializer.INSTANCE,
        ShortSerializer.INSTANCE,
        CharSerializer.INSTANCE,
        IntSerializer.INSTANCE,
        LongSerializer.INSTANCE,
        FloatSerializer.INSTANCE,
        DoubleSerializer.INSTANCE,
        StringSerializer.INSTANCE,
        BigDecSerializer.INSTANCE,
        IntPrimitiveArraySerializer.INSTANCE,
    };

    private static final Object[] VALUES = {
        true,
        (byte) -7,
        (short) 700,
        '\u20ac',
        70_000,
        1L << 50,
        1.5f,
        -0.0,
        "text \u00e9 \u20ac",
        new BigDecimal("1.50"),
        new int[] {1, 2},
    };

    final TypeSerializer<?>[] serializers;
    private final Object[] right;

    ColumnValues(int columns, Random random) {
        this(columns, VALUES.length, random);
    }

    private ColumnValues(int columns, int kinds, Random random) {
        serializers = new TypeSerializer<?>[columns];
        right = new Object[columns];
        for (int i = 0; i < columns; i++) {
            int kind = random.nextInt(kinds);
            serializers[i] = SERIALIZERS[kind];
            right[i] = VALUES[kind];
        }
    }

    /** Without lengths in their bytes: damage lets none ask for all memory. */
    static ColumnValues ofFixedWidth(int columns, Random random) {
        return new ColumnValues(columns, 8, random);
    }

    /** What each column's serializer takes. */
    Object[] right() {
        return right.clone();
    }

    /** The same, with another object in one place. */
    Object[] with(int place, Object other) {
        Object[] values = right();
        values[place] = other;
        return values;
    }
}
