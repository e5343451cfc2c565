// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Sends records to the subtask that their first field belongs to. */
public final class FirstField {

    private FirstField() {}

    /** Tuples, or arrays of {@code int}; this line knows no keys by position any more. */
    public static <T> DataStream<T> keyed(DataStream<T> records) {
        return records.keyBy(FirstField::of, Types.INT);
    }

    private static Integer of(Object record) {
        return record instanceof int[] ? ((int[]) record)[0] : ((Tuple) record).getField(0);
    }
}
