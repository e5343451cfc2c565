// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple8;

/**
 * The records of the job benchmarks. Their shapes are those of the upstream suite's benchmarks of
 * the same names, so that results can be laid beside its published ones; their contents are random.
 */
final class JobRecords {

    private static final long SEED = 15_171;
    private static final int HEAVY_STRINGS = 96;
    private static final int HEAVY_LENGTH = 1024;
    private static final int ORDERS = 1024;

    private JobRecords() {}

    /** Strings of 1,024 code units: ASCII, Cyrillic and CJK in turn. */
    static final class HeavyStrings implements RecordSupply<String> {
        static final TypeInformation<String> TYPE = TypeInformation.of(String.class);
        private static final long serialVersionUID = 1L;
        private static final String[] RECORDS = make();

        @Override
        public String[] records() {
            return RECORDS;
        }

        private static String[] make() {
            TextKind[] kinds = {TextKind.ASCII, TextKind.CYRILLIC, TextKind.CJK};
            Random random = new Random(SEED);
            return IntStream.range(0, HEAVY_STRINGS)
                    .mapToObj(i -> kinds[i % kinds.length].draw(HEAVY_LENGTH, random))
                    .toArray(String[]::new);
        }
    }

    /** POJOs with nine short strings in each. */
    static final class Orders implements RecordSupply<Order> {
        static final TypeInformation<Order> TYPE = TypeInformation.of(Order.class);
        private static final long serialVersionUID = 1L;
        private static final Order[] RECORDS = make();

        @Override
        public Order[] records() {
            return RECORDS;
        }

        private static Order[] make() {
            Random random = new Random(SEED);
            return IntStream.range(0, ORDERS)
                    .mapToObj(id -> order(id, random))
                    .toArray(Order[]::new);
        }

        private static Order order(int id, Random random) {
            Order order = new Order();
            order.id = id;
            order.name = word(6, random);
            order.stepNames = new String[4];
            Arrays.setAll(order.stepNames, i -> word(3, random));
            order.steps = new Order.Step[3];
            Arrays.setAll(order.steps, i -> new Order.Step(i + 1, word(3, random)));
            order.customer = random.nextInt(1000);
            order.shop = random.nextInt(1000);
            order.carrier = random.nextInt(1000);
            order.remark = word(4, random);
            return order;
        }

        private static String word(int length, Random random) {
            char[] letters = new char[length];
            for (int i = 0; i < length; i++) {
                letters[i] = (char) ('a' + random.nextInt(26));
            }
            return new String(letters);
        }
    }

    /** The same orders as tuples. */
    static final class OrderTuples
            implements RecordSupply<
                    Tuple8<
                            Integer,
                            String,
                            String[],
                            Tuple2<Integer, String>[],
                            Integer,
                            Integer,
                            Integer,
                            Object>> {

        static final TypeInformation<
                        Tuple8<
                                Integer,
                                String,
                                String[],
                                Tuple2<Integer, String>[],
                                Integer,
                                Integer,
                                Integer,
                                Object>>
                TYPE = TypeInformation.of(new TypeHint<>() {});
        private static final long serialVersionUID = 1L;

        @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
        private static final Tuple8<
                        Integer,
                        String,
                        String[],
                        Tuple2<Integer, String>[],
                        Integer,
                        Integer,
                        Integer,
                        Object>[]
                RECORDS =
                        Arrays.stream(Orders.RECORDS)
                                .map(OrderTuples::tuple)
                                .toArray(Tuple8[]::new);

        @Override
        public Tuple8<
                        Integer,
                        String,
                        String[],
                        Tuple2<Integer, String>[],
                        Integer,
                        Integer,
                        Integer,
                        Object>
                []
                records() {
            return RECORDS;
        }

        private static Tuple8<
                        Integer,
                        String,
                        String[],
                        Tuple2<Integer, String>[],
                        Integer,
                        Integer,
                        Integer,
                        Object>
                tuple(Order order) {
            @SuppressWarnings({"unchecked", "rawtypes"})
            Tuple2<Integer, String>[] steps =
                    Arrays.stream(order.steps)
                            .map(step -> Tuple2.of(step.id, step.name))
                            .toArray(Tuple2[]::new);
            return Tuple8.of(
                    order.id,
                    order.name,
                    order.stepNames,
                    steps,
                    order.customer,
                    order.shop,
                    order.carrier,
                    order.remark);
        }
    }
}
