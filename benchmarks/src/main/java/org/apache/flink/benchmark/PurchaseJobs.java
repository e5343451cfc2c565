// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.benchmark.line.CountingSink;
import org.apache.flink.benchmark.line.EventTime;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.RecordSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Jobs with the operators that ordinary jobs have between source and sink, four tasks of each. What
 * they add up is known beforehand, because each record goes through equally often.
 */
final class PurchaseJobs {

    static final int PARALLELISM = 4;

    private static final TypeInformation<Purchase> PURCHASE = TypeInformation.of(Purchase.class);
    // Each subtask has a record per millisecond: a window of it has each purchase once.
    private static final long WINDOW_MILLISECONDS = Purchase.PURCHASES;

    private PurchaseJobs() {}

    /** Two maps, a rebalance between them, and a filter; each operator gets a copy of its own. */
    @SuppressWarnings("deprecation")
    static RecordJob chain(long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(PARALLELISM);
        environment.getConfig().disableObjectReuse();
        purchases(environment, records)
                .map(PurchaseJobs::oneMore)
                .returns(PURCHASE)
                .rebalance()
                .map(new Sum<Purchase>(purchase -> purchase.quantity))
                .returns(PURCHASE)
                .filter(purchase -> purchase.id >= 0)
                .addSink(new CountingSink<>());
        return RecordJob.described(
                environment, records, records + rounds(records) * sum(p -> p.quantity));
    }

    /** Changes its argument: where it was not copied, the next round's sum is another one. */
    private static Purchase oneMore(Purchase purchase) {
        purchase.quantity++;
        return purchase;
    }

    /**
     * Adds up quantities by shop and event time, as one writes it: timestamps are assigned behind
     * the source, which takes a copy, because objects are not reused unless one asks for it.
     */
    @SuppressWarnings("deprecation")
    static RecordJob eventTime(long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(PARALLELISM);
        environment.getConfig().disableObjectReuse();
        EventTime.use(environment);
        TypeInformation<Total> total = TypeInformation.of(Total.class);
        EventTime.everyMillisecond(purchases(environment, records))
                .keyBy(purchase -> purchase.shop, Types.INT)
                .window(EventTime.tumbling(WINDOW_MILLISECONDS))
                .aggregate(new Totals(), total, total)
                .map(new Sum<Total>(result -> result.quantity))
                .returns(total)
                .addSink(new CountingSink<>());
        long windows = records / PARALLELISM / WINDOW_MILLISECONDS;
        return RecordJob.described(
                environment, windows * Purchase.SHOPS, rounds(records) * sum(p -> p.quantity));
    }

    /**
     * Keeps a purchase by customer in state and adds the quantities of the later ones to it.
     *
     * @param environment of parallelism {@link #PARALLELISM}, with a state backend
     */
    @SuppressWarnings("deprecation")
    static RecordJob state(StreamExecutionEnvironment environment, long records) {
        purchases(environment, records)
                .keyBy(purchase -> purchase.customer, Types.STRING)
                .map(new Last())
                .returns(PURCHASE)
                .map(new Sum<Purchase>(purchase -> purchase.quantity))
                .returns(PURCHASE)
                .addSink(new CountingSink<>());
        return RecordJob.described(
                environment, records, upTo(rounds(records)) * sum(p -> p.quantity));
    }

    /** Counts by word. */
    @SuppressWarnings("deprecation")
    static RecordJob count(long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(PARALLELISM);
        TypeInformation<Tuple2<String, Long>> type = Types.TUPLE(Types.STRING, Types.LONG);
        environment
                .addSource(new RecordSource<>(Words::all, records), type)
                .keyBy(word -> word.f0, Types.STRING)
                .sum(1)
                .map(new Sum<Tuple2<String, Long>>(word -> word.f1))
                .returns(type)
                .addSink(new CountingSink<>());
        return RecordJob.described(
                environment, records, upTo(rounds(records)) * Words.all().length);
    }

    /** From source to sink and no more. */
    static RecordJob plain(long records) {
        return moved(Purchase::all, PURCHASE, purchase -> purchase.quantity, records);
    }

    /** The same of Java records, for JVMs from 17 on. */
    static RecordJob javaRecords(long records) {
        return moved(JavaRecords::all, JavaRecords.type(), JavaRecords.Quantity::quantity, records);
    }

    /** The same of POJOs and lists in POJOs. */
    static RecordJob nested(long records) {
        return moved(Basket::all, Basket.TYPE, basket -> basket.quantities.get(0), records);
    }

    @SuppressWarnings("deprecation")
    private static <T> RecordJob moved(
            RecordSupply<T> supply, TypeInformation<T> type, Sum.Of<T> number, long records) {
        StreamExecutionEnvironment environment = LocalCluster.describe(PARALLELISM);
        environment
                .addSource(new RecordSource<>(supply, records), type)
                .rebalance()
                .map(new Sum<>(number))
                .returns(type)
                .addSink(new CountingSink<>());
        return RecordJob.described(
                environment, records, rounds(records) * sum(purchase -> purchase.quantity));
    }

    @SuppressWarnings("deprecation")
    private static DataStream<Purchase> purchases(
            StreamExecutionEnvironment environment, long records) {
        return environment.addSource(new RecordSource<>(Purchase::all, records), PURCHASE);
    }

    /** How often each record goes through the job. */
    private static long rounds(long records) {
        if (records % (PARALLELISM * Purchase.PURCHASES) != 0) {
            throw new IllegalArgumentException(
                    records + " records do not send each purchase equally often.");
        }
        return records / Purchase.PURCHASES;
    }

    private static long upTo(long last) {
        return last * (last + 1) / 2;
    }

    private static long sum(ToLongFunction<Purchase> number) {
        return Arrays.stream(Purchase.all()).mapToLong(number).sum();
    }

    /** The accumulator of the windows. */
    public static class Total {
        public int shop;
        public long purchases;
        public long quantity;
        public double mostPaid;
        public String lastCustomer;
    }

    private static final class Totals implements AggregateFunction<Purchase, Total, Total> {
        private static final long serialVersionUID = 1L;

        @Override
        public Total createAccumulator() {
            return new Total();
        }

        @Override
        public Total add(Purchase purchase, Total total) {
            total.shop = purchase.shop;
            total.purchases++;
            total.quantity += purchase.quantity;
            total.mostPaid = Math.max(total.mostPaid, purchase.price);
            total.lastCustomer = purchase.customer;
            return total;
        }

        @Override
        public Total getResult(Total total) {
            return total;
        }

        @Override
        public Total merge(Total one, Total other) {
            throw new UnsupportedOperationException("tumbling windows are never merged");
        }
    }

    private static final class Last extends RichMapFunction<Purchase, Purchase> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Purchase> state;

        @Override
        public Purchase map(Purchase purchase) throws Exception {
            if (state == null) {
                state = getRuntimeContext().getState(new ValueStateDescriptor<>("last", PURCHASE));
            }
            Purchase last = state.value();
            if (last != null) {
                purchase.quantity += last.quantity;
            }
            state.update(purchase);
            return purchase;
        }
    }

    private static final class Words {
        @SuppressWarnings({"unchecked", "rawtypes"})
        private static final Tuple2<String, Long>[] ALL =
                Arrays.stream(Purchase.all())
                        .map(purchase -> Tuple2.of(purchase.customer, 1L))
                        .toArray(Tuple2[]::new);

        static Tuple2<String, Long>[] all() {
            return ALL;
        }
    }
}
