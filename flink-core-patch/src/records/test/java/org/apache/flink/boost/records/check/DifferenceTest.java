// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.apache.flink.boost.records.check.CheckedSerializer.bytes;
import static org.apache.flink.boost.records.check.CheckedSerializer.bytesOfStock;
import static org.apache.flink.boost.records.check.CheckedSerializer.check;
import static org.apache.flink.boost.records.check.CheckedSerializer.customers;
import static org.apache.flink.boost.records.check.CheckedSerializer.generated;
import static org.apache.flink.boost.records.check.CheckedSerializer.mixedUp;
import static org.apache.flink.boost.records.check.CheckedSerializer.ofOrder;
import static org.apache.flink.boost.records.check.CheckedSerializer.orders;
import static org.apache.flink.boost.records.check.CheckedSerializer.pojos;
import static org.apache.flink.boost.records.check.CheckedSerializer.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.check.CheckedSerializer.Log;
import org.apache.flink.boost.records.check.CheckedSerializer.Spoiled;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** Generated code that is spoiled: it is found out, and the job gets what stock does. */
class DifferenceTest {

    private static final String CLASS = Order.class.getName();

    private final Log log = new Log();

    private void assertTold(String... parts) {
        assertThat(log.lines).hasSize(1);
        assertThat(log.lines.get(0)).startsWith("error").contains(parts);
    }

    @Test
    void whatIsWrittenOtherwise() throws Exception {
        TypeSerializer<Object> orders = orders();
        Spoiled spoiled = new Spoiled(mixedUp());
        check(orders, spoiled, log);
        Order order = Order.of(1, 2);
        byte[] stocks = bytesOfStock(orders, order);

        assertThat(bytes(orders, order)).isEqualTo(stocks);
        assertTold(
                "write "
                        + CLASS
                        + " as Flink does: from byte 5 on, in field amount, ours is"
                        + " 02 00 02 00, Flink's is 01 00 02 00");
        assertThat(log.classes.getChecked())
                .containsExactly(
                        "checked 1 records of "
                                + CLASS
                                + ": one differed, so that Flink's own code runs");
        assertThat(log.classes.getDiffering()).isEqualTo(1);

        spoiled.calls = 0;
        assertThat(bytes(orders, order)).isEqualTo(stocks);
        assertThat(((Order) read(orders, stocks)).amount).isEqualTo(1);
        assertThat(((Order) orders.copy(order)).amount).isEqualTo(1);
        assertThat(spoiled.calls).as("stock's body runs from there on").isZero();
    }

    /** What is copied to a stream has not been there before it is known to be right. */
    @Test
    void whatIsWrittenOtherwiseToAStream() throws Exception {
        TypeSerializer<Object> orders = orders();
        check(orders, mixedUp(), log);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        orders.serialize(Order.of(1, 2), new DataOutputViewStreamWrapper(bytes));

        assertThat(bytes.toByteArray()).isEqualTo(bytesOfStock(orders, Order.of(1, 2)));
        assertTold("write " + CLASS);
    }

    @Test
    void whatIsReadOtherwise() throws Exception {
        TypeSerializer<Object> orders = orders();
        check(orders, mixedUp(), log);

        Order read = (Order) read(orders, bytesOfStock(orders, Order.of(1, 2)));
        assertThat(read.amount).isEqualTo(1);
        assertTold("read " + CLASS, "in field amount");
    }

    @Test
    void whatIsCopiedOtherwise() throws Exception {
        TypeSerializer<Object> orders = orders();
        Spoiled forgetful =
                new Spoiled(generated(orders)) {
                    @Override
                    public Object copy(Object from) {
                        Order copy = (Order) super.copy(from);
                        copy.customer.name = null;
                        return copy;
                    }
                };
        check(orders, forgetful, log);

        Order copy = (Order) orders.copy(Order.of(1, 2));
        assertThat(copy.customer.name).isEqualTo("Ada");
        assertTold("copy " + CLASS, "in field customer");
    }

    /** Bytes do not tell that a copy is not deep. */
    @Test
    void aCopyThatSharesAnObject() throws Exception {
        TypeSerializer<Object> orders = orders();
        Spoiled shallow =
                new Spoiled(generated(orders)) {
                    @Override
                    public Object copy(Object from) {
                        Order copy = (Order) super.copy(from);
                        copy.items = ((Order) from).items;
                        return copy;
                    }
                };
        check(orders, shallow, log);
        Order order = Order.of(1, 2);

        assertThat(((Order) orders.copy(order)).items).isNotSameAs(order.items);
        assertTold("copy " + CLASS, "one object in field items");
    }

    @Test
    void whatFailsWhereStockDoesNot() throws Exception {
        Order order = Order.of(1, 2);
        byte[] stocks = bytesOfStock(orders(), order);
        for (String call : new String[] {"write", "read", "copy"}) {
            Log own = new Log();
            TypeSerializer<Object> orders = orders();
            check(orders, new Failing(generated(orders)), own);
            if (call.equals("write")) {
                assertThat(bytes(orders, order)).isEqualTo(stocks);
            } else if (call.equals("read")) {
                assertThat(((Order) read(orders, stocks)).amount).isEqualTo(1);
            } else {
                assertThat(((Order) orders.copy(order)).amount).isEqualTo(1);
            }
            assertThat(own.lines).hasSize(1);
            assertThat(own.lines.get(0))
                    .contains(call + " " + CLASS, IllegalAccessError.class.getName());
        }
    }

    /** Fails behind what is right. */
    private static final class Failing extends Spoiled {

        Failing(RecordAccess right) {
            super(right);
        }

        @Override
        public Object copy(Object from) {
            throw new IllegalAccessError();
        }

        @Override
        public boolean serialize(Object value, DataOutputView out) throws IOException {
            super.serialize(value, out);
            throw new IllegalAccessError();
        }

        @Override
        public Object deserialize(DataInputView in) throws IOException {
            super.deserialize(in);
            throw new IllegalAccessError();
        }
    }

    @Test
    void whatFailsAsInStockIsEqual() throws Exception {
        TypeSerializer<Object> orders = orders();
        check(orders, generated(orders), log);
        Order order = Order.of(1, 2);
        byte[] bytes = bytesOfStock(orders, order);
        byte[] half = java.util.Arrays.copyOf(bytes, bytes.length / 2);
        assertThatThrownBy(() -> read(orders, half)).isInstanceOf(EOFException.class);
        assertThat(log.lines).isEmpty();

        RecordAccess wrong =
                new Spoiled(generated(orders)) {
                    @Override
                    public Object deserialize(DataInputView in) {
                        throw new IllegalStateException();
                    }
                };
        check(orders, wrong, log);
        assertThatThrownBy(() -> read(orders, half)).isInstanceOf(EOFException.class);
        assertTold("it ends with java.lang.IllegalStateException, Flink with java.io.EOFException");
    }

    /** The one inside is at fault, and it alone. */
    @Test
    void aRecordInsideAnother() throws Exception {
        TypeSerializer<Object> customers = customers();
        Spoiled wrong =
                new Spoiled(generated(customers)) {
                    @Override
                    public boolean serialize(Object value, DataOutputView out) throws IOException {
                        ((Order.Customer) value).id++;
                        boolean done = super.serialize(value, out);
                        ((Order.Customer) value).id--;
                        return done;
                    }
                };
        TypeSerializer<Object> orders = pojos(Order.class, ofOrder(customers));
        check(customers, wrong, log);
        check(orders, generated(orders), log);
        Order order = Order.of(1, 2);

        assertThat(bytes(orders, order)).isEqualTo(bytesOfStock(orders, order));
        assertTold("write " + Order.Customer.class.getName(), "in field id");
        assertThat(log.classes.getChecked()).contains("checked 1 records of " + CLASS + ": equal");
    }

    @Test
    void fieldsOfTuplesAndRows() throws Exception {
        TypeSerializer<?>[] columns = {StringSerializer.INSTANCE, IntSerializer.INSTANCE};
        assertField(new TupleSerializer<>(tuple2(), columns), Tuple2.of("x", 1), Tuple2.of("x", 2));
        assertField(new RowSerializer(columns, null, true), Row.of("x", 1), Row.of("x", 2));
        assertField(new RowSerializer(columns, null, true), Row.of(null, 1), Row.of(null, 2));
    }

    @SuppressWarnings("unchecked")
    private static Class<Tuple2<String, Integer>> tuple2() {
        return (Class<Tuple2<String, Integer>>) (Class<?>) Tuple2.class;
    }

    private static void assertField(TypeSerializer<?> serializer, Object record, Object other)
            throws Exception {
        Log own = new Log();
        @SuppressWarnings("unchecked")
        TypeSerializer<Object> ours = (TypeSerializer<Object>) serializer;
        Spoiled wrong =
                new Spoiled(generated(ours)) {
                    @Override
                    public boolean serialize(Object value, DataOutputView out) throws IOException {
                        return super.serialize(other, out);
                    }
                };
        check(ours, wrong, own);
        assertThat(bytes(ours, record)).isEqualTo(bytesOfStock(ours, record));
        assertThat(own.lines).hasSize(1);
        assertThat(own.lines.get(0))
                .contains(
                        record.getClass().getName() + " (StringSerializer, IntSerializer)",
                        "in field f1");
    }
}
