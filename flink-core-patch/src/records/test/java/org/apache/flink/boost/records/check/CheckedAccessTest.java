// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.apache.flink.boost.records.check.CheckedSerializer.bytes;
import static org.apache.flink.boost.records.check.CheckedSerializer.bytesOfStock;
import static org.apache.flink.boost.records.check.CheckedSerializer.check;
import static org.apache.flink.boost.records.check.CheckedSerializer.generated;
import static org.apache.flink.boost.records.check.CheckedSerializer.holder;
import static org.apache.flink.boost.records.check.CheckedSerializer.orders;
import static org.apache.flink.boost.records.check.CheckedSerializer.pojos;
import static org.apache.flink.boost.records.check.CheckedSerializer.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Modifier;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.records.MadeType;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.RecordPatchesTest;
import org.apache.flink.boost.records.check.CheckedSerializer.Log;
import org.apache.flink.boost.records.check.CheckedSerializer.Spoiled;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** Generated code that is right, while it is checked; what is counted, told and kept. */
class CheckedAccessTest {

    private static final String CLASS = Order.class.getName();
    private static final String ROWS = Row.class.getName() + " (StringSerializer, IntSerializer)";

    private final Log log = new Log();

    private static Order wide(Map<String, Integer> tags) {
        Order order = Order.of(1, 2);
        order.tags = tags;
        return order;
    }

    /** Without the switch nothing stands between a serializer and its access. */
    @Test
    void nothingIsCheckedUnasked() throws Exception {
        TypeSerializer<Object> orders = orders();
        generated(orders);
        orders.copy(Order.of(1, 2));
        assertThat(BoostMode.CHECKS_RECORDS).isFalse();
        assertThat(holder(orders).boostAccess()).isNotInstanceOf(CheckedAccess.class);
    }

    @Test
    void whatIsEqualIsCounted() throws Exception {
        TypeSerializer<Object> orders = orders();
        Spoiled right = new Spoiled(generated(orders));
        check(orders, right, log);
        Order order = Order.of(1, 2);
        byte[] stocks = bytesOfStock(orders, order);

        assertThat(bytes(orders, order)).isEqualTo(stocks);
        Order copy = (Order) orders.copy(order);
        assertThat(bytesOfStock(orders, copy)).isEqualTo(stocks);
        assertThat(copy).isNotSameAs(order);
        assertThat(bytesOfStock(orders, read(orders, stocks))).isEqualTo(stocks);
        assertThat(right.calls).as("what is read or copied is so twice").isEqualTo(5);
        assertThat(log.lines).isEmpty();
        assertThat(log.classes.getChecked())
                .containsExactly("checked 3 records of " + CLASS + ": equal");
    }

    /** A map that is read has other room than the one that was written, so another order. */
    @Test
    void anOrderThatIsNotTheRecordsOwnIsNoDifference() throws Exception {
        TypeSerializer<Object> orders = orders();
        check(orders, generated(orders), log);
        Map<String, Integer> wide = new HashMap<>(1 << 12);
        for (int i = 0; i < 100; i++) {
            wide.put("key " + i, i);
        }
        byte[] bytes = bytesOfStock(orders, wide(wide));
        Order read = (Order) read(orders, bytes);
        assertThat(bytesOfStock(orders, read)).as("it is another order").isNotEqualTo(bytes);
        assertThat(read.tags).isEqualTo(wide);
        assertThat(orders.copy(wide(wide))).isNotNull();
        assertThat(log.lines).isEmpty();
    }

    @Test
    void whatStockWritesInSeveralWaysIsNoDifference() throws Exception {
        TypeSerializer<Object> orders = orders();
        check(orders, generated(orders), log);
        bytes(orders, wide(new TurningMap()));
        assertThat(log.lines).isEmpty();
        assertThat(log.classes.getChecked())
                .containsExactly(
                        "checked 1 records of "
                                + CLASS
                                + ": equal, but for 1 that Flink itself writes in several ways");
    }

    /** Has its entries in another order each time. */
    private static final class TurningMap extends AbstractMap<String, Integer> {

        private int turns;

        @Override
        public Set<Entry<String, Integer>> entrySet() {
            boolean turned = turns++ % 2 == 0;
            Set<Entry<String, Integer>> entries = new LinkedHashSet<>();
            entries.add(Map.entry(turned ? "a" : "b", 1));
            entries.add(Map.entry(turned ? "b" : "a", 1));
            return entries;
        }

        @Override
        public int size() {
            return 2;
        }
    }

    @Test
    void theFirstRecordsAndThenAFewAreChecked() throws Exception {
        TypeSerializer<Object> rows = rows();
        Spoiled right = new Spoiled(generated(rows));
        check(rows, right, log);
        for (int i = 0; i < 12_000; i++) {
            bytes(rows, Row.of("x", i));
        }
        assertThat(right.calls).isEqualTo(12_000);
        assertThat(log.classes.getChecked())
                .containsExactly("checked 10,002 records of " + ROWS + ": equal");
        assertThat(log.lines)
                .containsExactly(
                        "info[{}, checked 1,000 records of " + ROWS + ": equal]",
                        "info[{}, checked 10,000 records of " + ROWS + ": equal]");
    }

    @Test
    void whatIsLoggedIsARoundNumberThoughOtherThreadsGoOn() {
        CheckedClass counted = log.classes.of("x");
        log.meanwhile = counted::count;
        for (int i = 0; i < 1_000; i++) {
            log.classes.count(counted);
        }
        assertThat(log.lines).containsExactly("info[{}, checked 1,000 records of x: equal]");
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> rows() {
        TypeSerializer<?>[] columns = {StringSerializer.INSTANCE, IntSerializer.INSTANCE};
        return (TypeSerializer<Object>) (TypeSerializer<?>) new RowSerializer(columns, null, true);
    }

    @Test
    void recordsOfTheNetworkAreChecked() throws Exception {
        TypeSerializer<Object> rows = rows();
        check(rows, generated(rows), log);
        byte[] bytes = bytesOfStock(rows, Row.of("x", 7));
        MemorySegment segment = MemorySegmentFactory.allocateUnpooledOffHeapMemory(64);
        segment.put(5, bytes);
        DataInputView in = RecordPatchesTest.networkView(segment, 5, 5 + bytes.length);
        assertThat(rows.deserialize(in)).isEqualTo(Row.of("x", 7));
        assertThat(log.classes.getChecked()).singleElement().asString().startsWith("checked 1 ");
    }

    /** What was read from a stream is gone. */
    @Test
    void whatIsReadFromAStreamIsNotChecked() throws Exception {
        TypeSerializer<Object> rows = rows();
        check(rows, generated(rows), log);
        byte[] bytes = bytesOfStock(rows, Row.of("x", 7));
        Object read =
                rows.deserialize(new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes)));
        assertThat(read).isEqualTo(Row.of("x", 7));
        assertThat(log.classes.getChecked())
                .containsExactly("checked no records of " + ROWS + " yet");
    }

    /**
     * A TaskManager that ends by itself where the heap is full has room for a large record once.
     */
    @Test
    void aLargeRecordIsNotCompared() throws Exception {
        TypeSerializer<?>[] columns = {BytePrimitiveArraySerializer.INSTANCE};
        @SuppressWarnings("unchecked")
        TypeSerializer<Object> rows =
                (TypeSerializer<Object>) (TypeSerializer<?>) new RowSerializer(columns, null, true);
        Spoiled right = new Spoiled(generated(rows));
        check(rows, right, log);
        Row large = Row.of(new byte[(16 << 20) + 1]);
        byte[] bytes = bytesOfStock(rows, large);

        assertThat(bytes(rows, large)).isEqualTo(bytes);
        assertThat(read(rows, bytes)).isEqualTo(large);
        assertThat(rows.copy(large)).isEqualTo(large);
        assertThat(right.calls).as("a copy is made once more to be written").isEqualTo(4);
        String sentence = " records of " + Row.class.getName() + " (BytePrimitiveArraySerializer)";
        assertThat(log.classes.getChecked())
                .containsExactly("checked no" + sentence + " yet, and not 3 of more than 16 MB");
        bytes(rows, Row.of(new byte[1]));
        assertThat(log.classes.getChecked())
                .containsExactly("checked 1" + sentence + ": equal, and not 3 of more than 16 MB");
    }

    /** The list that is made last is the one that stays. */
    @Test
    void aDifferenceIsPublishedThoughOtherThreadsPublishToo() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        String before = System.getProperty(BoostMode.CHECKED);
        try {
            for (int i = 0; i < 5_000; i++) {
                Log own = new Log();
                CheckedClass counted = own.classes.of("counted");
                CheckedClass differing = own.classes.of("differing");
                CyclicBarrier both = new CyclicBarrier(2);
                List<Callable<Object>> calls =
                        List.of(
                                () -> {
                                    both.await();
                                    own.classes.count(counted);
                                    return null;
                                },
                                () -> {
                                    both.await();
                                    own.classes.stop(differing, "write");
                                    return null;
                                });
                for (Future<Object> call : threads.invokeAll(calls)) {
                    call.get();
                }
                assertThat(System.getProperty(BoostMode.CHECKED)).isEqualTo(own.published());
            }
        } finally {
            threads.shutdown();
            if (before == null) {
                System.clearProperty(BoostMode.CHECKED);
            } else {
                System.setProperty(BoostMode.CHECKED, before);
            }
        }
    }

    @Test
    void namesAreLimited() {
        for (int i = 0; i < CheckedClasses.MOST_NAMES + 10; i++) {
            log.classes.of("class " + i);
        }
        assertThat(log.classes.getChecked()).hasSize(CheckedClasses.MOST_NAMES + 1);
        CheckedClass late = log.classes.of("one more");
        assertThat(late).isSameAs(log.classes.of("and one more"));
        assertThat(late).isNotSameAs(log.classes.of("class 1"));
    }

    @Test
    void aClassLoaderIsCollected() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        PhantomReference<Object> reference = new PhantomReference<>(checkedLoader(), collected);
        Reference<?> found = null;
        // As long as it takes: the thread that generates lets go after a second.
        for (int i = 0; i < 600 && found == null; i++) {
            System.gc();
            found = collected.remove(100);
        }
        assertThat(found).isSameAs(reference);
        assertThat(log.classes.getChecked()).containsExactly("checked 1 records of made.A: equal");
    }

    private Object checkedLoader() throws Exception {
        MadeLoader loader = new MadeLoader();
        Class<?> type = MadeType.pojo("made.A").with("a", int.class, Modifier.PUBLIC).in(loader);
        TypeSerializer<Object> pojos = pojos(type, IntSerializer.INSTANCE);
        check(pojos, generated(pojos), log);
        pojos.copy(type.getDeclaredConstructor().newInstance());
        return loader;
    }
}
