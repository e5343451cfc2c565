// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.streaming.api.datastream.DataStream;

/** Sends records to the subtask that their first field belongs to, as the upstream suite does. */
public final class FirstField {

    private FirstField() {}

    /** Tuples, or arrays of {@code int}, keyed by position 0. */
    public static <T> DataStream<T> keyed(DataStream<T> records) {
        return records.keyBy(0);
    }
}
