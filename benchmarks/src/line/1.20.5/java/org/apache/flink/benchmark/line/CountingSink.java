// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

/** Drops records and counts them in the job's accumulator {@link #ACCUMULATOR}. */
@SuppressWarnings("deprecation")
public final class CountingSink<T> extends RichSinkFunction<T> {

    /** Name of the accumulator; its result is a {@code Long}. */
    public static final String ACCUMULATOR = "records at the sink";

    private static final long serialVersionUID = 1L;

    private transient LongCounter records;

    @Override
    public void open(OpenContext context) {
        records = new LongCounter();
        getRuntimeContext().addAccumulator(ACCUMULATOR, records);
    }

    @Override
    public void invoke(T record, Context context) {
        records.add(1L);
    }
}
