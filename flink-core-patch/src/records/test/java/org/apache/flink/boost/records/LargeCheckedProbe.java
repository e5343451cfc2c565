// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.Row;

/** A process with room for a large record and its bytes, but not for several of each. */
final class LargeCheckedProbe {

    private static final int BYTES = 60 << 20;

    private LargeCheckedProbe() {}

    public static void main(String[] arguments) throws Exception {
        TypeSerializer<?>[] columns = {BytePrimitiveArraySerializer.INSTANCE};
        RowSerializer rows = new RowSerializer(columns, null, true);
        RecordAccess.Holder holder = (RecordAccess.Holder) (Object) rows;
        do {
            Thread.sleep(1);
            rows.copy(Row.of(new byte[1]));
        } while (holder.boostAccess().isPreliminary());
        byte[] bytes = written(rows);
        Row read = rows.deserialize(new DataInputDeserializer(bytes));
        System.out.println("= read " + ((byte[]) read.getField(0)).length);
        System.out.println("= property " + System.getProperty("flink.boost.records.checked"));
    }

    private static byte[] written(RowSerializer rows) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(BYTES + 64);
        rows.serialize(Row.of(new byte[BYTES]), out);
        return out.getSharedBuffer();
    }
}
