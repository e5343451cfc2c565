// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.EventTime;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;

/**
 * Jobs that double numbers in the task of the source, send them to another one and add them up
 * there in windows. One task of each; records are small, so their framing counts.
 */
final class WindowJob implements BenchmarkJob {

    /** Keys, in turn. */
    static final int KEYS = 1000;

    private final RecordJob job;
    private final long reductions;

    private WindowJob(RecordJob job, long reductions) {
        this.job = job;
        this.reductions = reductions;
    }

    /**
     * Adds up by key and window.
     *
     * @param environment of parallelism 1
     * @param records a multiple of the number of keys
     */
    @SuppressWarnings("deprecation")
    static WindowJob keyed(
            StreamExecutionEnvironment environment, WindowShape shape, long records) {
        if (records % KEYS != 0 || records > shape.mostRecords) {
            throw new IllegalArgumentException(
                    records + " records do not fill the windows of all keys alike.");
        }
        EventTime.use(environment);
        environment
                .addSource(
                        RecordSource.timed(KeyedValues::all, records),
                        TypeInformation.of(KeyedValue.class))
                .map(new DoubleValue())
                .keyBy(record -> record.key, Types.INT)
                .window(shape.assigner())
                .reduce(new SumOfValues())
                .addSink(new CountingSink<>());
        long windows = shape.windowsOfARecord;
        return new WindowJob(
                RecordJob.described(environment, shape.fires ? windows * KEYS : 0),
                windows * (records - KEYS));
    }

    /** Adds up all numbers in one global window. */
    @SuppressWarnings("deprecation")
    static WindowJob ofLongs(StreamExecutionEnvironment environment, long records) {
        DataStream<Long> doubled =
                environment
                        .addSource(new RecordSource<>(Longs::all, records), Types.LONG)
                        .map(new DoubleLong());
        doubled.windowAll(GlobalWindows.create())
                .reduce(new SumOfLongs())
                .addSink(new CountingSink<>());
        return new WindowJob(RecordJob.described(environment, 0), records - 1);
    }

    /** For tests: the same job, but with another number of reductions expected. */
    WindowJob expecting(long otherReductions) {
        return new WindowJob(job, otherReductions);
    }

    @Override
    public long run(LocalCluster cluster) throws Exception {
        Reductions.take();
        long results = job.run(cluster);
        long reduced = Reductions.take();
        if (reduced != reductions) {
            throw new IllegalStateException(
                    "The windows reduced " + reduced + " times instead of " + reductions + ".");
        }
        return results;
    }

    private static final class DoubleValue implements MapFunction<KeyedValue, KeyedValue> {
        private static final long serialVersionUID = 1L;

        @Override
        public KeyedValue map(KeyedValue record) {
            return new KeyedValue(record.key, record.value * 2);
        }
    }

    private static final class SumOfValues implements ReduceFunction<KeyedValue> {
        private static final long serialVersionUID = 1L;

        private transient Reductions reductions;

        @Override
        public KeyedValue reduce(KeyedValue one, KeyedValue other) {
            if (reductions == null) {
                reductions = Reductions.open();
            }
            reductions.count();
            return new KeyedValue(one.key, one.value + other.value);
        }
    }

    private static final class DoubleLong implements MapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public Long map(Long record) {
            return record * 2;
        }
    }

    private static final class SumOfLongs implements ReduceFunction<Long> {
        private static final long serialVersionUID = 1L;

        private transient Reductions reductions;

        @Override
        public Long reduce(Long one, Long other) {
            if (reductions == null) {
                reductions = Reductions.open();
            }
            reductions.count();
            return one + other;
        }
    }

    // Made once, outside of what is measured.

    private static final class KeyedValues {
        private static final KeyedValue[] ALL = make();

        static KeyedValue[] all() {
            return ALL;
        }

        private static KeyedValue[] make() {
            KeyedValue[] records = new KeyedValue[KEYS];
            for (int i = 0; i < records.length; i++) {
                records[i] = new KeyedValue(i, i);
            }
            return records;
        }
    }

    private static final class Longs {
        private static final Long[] ALL = make();

        static Long[] all() {
            return ALL;
        }

        private static Long[] make() {
            Long[] records = new Long[KEYS];
            for (int i = 0; i < records.length; i++) {
                records[i] = (long) i;
            }
            return records;
        }
    }
}
