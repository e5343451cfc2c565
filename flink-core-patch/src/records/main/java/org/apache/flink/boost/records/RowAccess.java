// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.LinkedHashMap;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.RowUtils;

/** What generated code of rows asks for beside its columns. */
public abstract class RowAccess extends ColumnAccess {

    private final LinkedHashMap<String, Integer> positions;

    /**
     * @param positions the serializer's names of positions; may be null
     */
    protected RowAccess(Object origin, LinkedHashMap<String, Integer> positions) {
        super(origin);
        this.positions = positions;
    }

    /** The kind's two bits where they stand in the first byte of the mask. */
    protected static int kindBits(Row row) {
        int kind = row.getKind().toByteValue();
        return (kind & 1) << 7 | (kind & 2) << 5;
    }

    /** A row of the same kind. */
    protected final Row copyOf(Row from, Object[] fields) {
        return RowUtils.createRowWithNamedPositions(from.getKind(), fields, positions);
    }

    /**
     * @param kind as in {@code RowKind.toByteValue}
     */
    protected final Row rowOf(int kind, Object[] fields) {
        return RowUtils.createRowWithNamedPositions(
                RowKind.fromByteValue((byte) kind), fields, positions);
    }
}
