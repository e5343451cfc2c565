// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo.STRING_ARRAY_TYPE_INFO;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple8;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.types.Row;

/**
 * The records of the job benchmarks. Their shapes are those of the upstream suite's benchmarks of
 * the same names, so that results can be laid beside its published ones; their contents are random.
 *
 * <p>There are strings of 1,024 code units, and orders with nine short strings in each: as POJOs,
 * which Kryo handles as well, as tuples, rows and Avro records. Each lot is made when it is first
 * asked for.
 */
final class JobRecords {

    static final TypeInformation<Order> ORDER = TypeInformation.of(Order.class);
    static final TypeInformation<Order> KRYO_ORDER = Types.GENERIC(Order.class);
    static final TypeInformation<Tuple> TUPLE =
            new TupleTypeInfo<>(fieldTypes(Types.TUPLE(Types.INT, Types.STRING)));
    static final TypeInformation<Row> ROW =
            Types.ROW(fieldTypes(Types.ROW(Types.INT, Types.STRING)));

    private static final long SEED = 15_171;
    private static final int HEAVY_STRINGS = 96;
    private static final int HEAVY_LENGTH = 1024;
    private static final int ORDERS = 1024;

    private JobRecords() {}

    /** Strings of 1,024 code units: ASCII, Cyrillic and CJK in turn. */
    static String[] heavyStrings() {
        return HeavyStrings.ALL;
    }

    static Order[] orders() {
        return Orders.ALL;
    }

    static Tuple[] tuples() {
        return Tuples.ALL;
    }

    static Row[] rows() {
        return Rows.ALL;
    }

    static AvroOrder[] avroOrders() {
        return AvroOrders.ALL;
    }

    /** Apart from the other types: flink-avro works with its own release of Flink only. */
    static TypeInformation<AvroOrder> avroType() {
        return AvroOrders.TYPE;
    }

    private static TypeInformation<?>[] fieldTypes(TypeInformation<?> step) {
        return new TypeInformation<?>[] {
            Types.INT,
            Types.STRING,
            STRING_ARRAY_TYPE_INFO,
            Types.OBJECT_ARRAY(step),
            Types.INT,
            Types.INT,
            Types.INT,
            Types.GENERIC(Object.class)
        };
    }

    // One holder each: a job makes only the records that it needs.

    private static final class HeavyStrings {
        private static final String[] ALL = make();

        private static String[] make() {
            TextKind[] kinds = {TextKind.ASCII, TextKind.CYRILLIC, TextKind.CJK};
            Random random = new Random(SEED);
            return IntStream.range(0, HEAVY_STRINGS)
                    .mapToObj(i -> kinds[i % kinds.length].draw(HEAVY_LENGTH, random))
                    .toArray(String[]::new);
        }
    }

    private static final class Orders {
        private static final Order[] ALL = make();

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

        static <T> T[] as(Function<Order, T> form, IntFunction<T[]> array) {
            return Arrays.stream(ALL).map(form).toArray(array);
        }
    }

    private static final class Tuples {
        private static final Tuple[] ALL = Orders.as(Tuples::tuple, Tuple[]::new);

        private static Tuple tuple(Order order) {
            Tuple2<?, ?>[] steps =
                    Arrays.stream(order.steps)
                            .map(step -> Tuple2.of(step.id, step.name))
                            .toArray(Tuple2<?, ?>[]::new);
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

    private static final class Rows {
        private static final Row[] ALL = Orders.as(Rows::row, Row[]::new);

        private static Row row(Order order) {
            Row[] steps =
                    Arrays.stream(order.steps)
                            .map(step -> Row.of(step.id, step.name))
                            .toArray(Row[]::new);
            return Row.of(
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

    private static final class AvroOrders {
        private static final TypeInformation<AvroOrder> TYPE = new AvroTypeInfo<>(AvroOrder.class);
        private static final AvroOrder[] ALL = Orders.as(AvroOrder::new, AvroOrder[]::new);
    }
}
