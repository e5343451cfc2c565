// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.Serializable;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Hands records on and adds up a number of each in the job's accumulator {@link #ACCUMULATOR}. */
final class Sum<T> extends RichMapFunction<T, T> {

    /** Name of the accumulator; its result is a {@code Long}. */
    static final String ACCUMULATOR = "sum of the records";

    private static final long serialVersionUID = 1L;

    private final Of<T> number;
    private transient LongCounter sum;

    Sum(Of<T> number) {
        this.number = number;
    }

    @Override
    public T map(T record) {
        // Not in open(), whose parameter differs between Flink lines.
        if (sum == null) {
            sum = getRuntimeContext().getLongCounter(ACCUMULATOR);
        }
        sum.add(number.of(record));
        return record;
    }

    /** The number of a record. */
    @FunctionalInterface
    interface Of<T> extends Serializable {
        long of(T record);
    }
}
