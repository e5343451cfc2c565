// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.dataformat.BinaryRow;
import org.apache.flink.table.dataformat.BinaryRowWriter;
import org.apache.flink.table.dataformat.BinaryString;
import org.apache.flink.table.runtime.typeutils.BinaryRowSerializer;

/** A row of Blink's SQL path: a {@code BIGINT} and a {@code STRING}, in their binary format. */
public final class TableRow {

    private static final int FIELDS = 2;

    private TableRow() {}

    /** Such a row. */
    public static Object of(long number, String text) {
        BinaryRow row = new BinaryRow(FIELDS);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, number);
        writer.writeString(1, BinaryString.fromString(text));
        writer.complete();
        return row;
    }

    /** What the SQL path serializes them with. */
    public static TypeSerializer<?> newSerializer() {
        return new BinaryRowSerializer(FIELDS);
    }
}
