// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.BinaryRowDataSerializer;

/** A row of the SQL path: a {@code BIGINT} and a {@code STRING}, in their binary format. */
public final class TableRow {

    private static final int FIELDS = 2;

    private TableRow() {}

    /** Such a row. */
    public static Object of(long number, String text) {
        BinaryRowData row = new BinaryRowData(FIELDS);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(0, number);
        writer.writeString(1, StringData.fromString(text));
        writer.complete();
        return row;
    }

    /** What the SQL path serializes them with. */
    public static TypeSerializer<?> newSerializer() {
        return new BinaryRowDataSerializer(FIELDS);
    }
}
