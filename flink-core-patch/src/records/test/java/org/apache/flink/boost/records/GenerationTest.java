// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.boost.strings.ForkedJvm;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** When classes are generated, by whom, and when they go. */
class GenerationTest {

    private static final TypeSerializer<?>[] SERIALIZERS = {
        IntSerializer.INSTANCE, StringSerializer.INSTANCE
    };

    private static Class<?> row(MadeLoader loader) {
        return MadeType.pojo("made.Row").with("a", int.class).with("b", String.class).in(loader);
    }

    /** Nothing is generated until it is counted down. */
    private static CountDownLatch busy() {
        CountDownLatch busy = new CountDownLatch(1);
        GenerationThread.run(
                () -> {
                    try {
                        busy.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        return busy;
    }

    /** Stock's body does it where the class is not there in time. */
    @Test
    void untilItIsThereStockGoesOn() throws Exception {
        CountDownLatch busy = busy();
        Class<?> type = row(new MadeLoader());
        RecordAccess first = Accesses.ofFields(type, type.getDeclaredFields(), SERIALIZERS);
        assertThat(first.isPreliminary()).isTrue();
        assertThat(first.copy(new Object())).isSameAs(RecordAccess.TO_STOCK);
        busy.countDown();
        RecordPair pair = new RecordPair(type, SERIALIZERS);
        assertThat(pair.access().isPreliminary()).isFalse();
        pair.assertSame(pair.make(1, "x"));
    }

    /**
     * Without, thousands of records would go stock's way. One that was late ends that for itself.
     */
    @Test
    void theFirstRecordWaitsForTheClass() throws Exception {
        ForkedJvm.Result result = ForkedJvm.run(List.of(), FirstAccessProbe.class);
        // On a machine that is busy any of the first may be late.
        List<String> answers = result.answers();
        assertThat(answers).as(result.output).hasSize(5);
        assertThat(answers.subList(2, 4)).containsExactly("waited for", "not waited for");
        assertThat(List.of(answers.get(0), answers.get(1), answers.get(4)))
                .as(result.output)
                .isSubsetOf("there", "waited for");
    }

    /** What nobody could log leaves stock's way, and nobody waiting. */
    @Test
    void anErrorThatCannotBeToldIsAnOutcome() throws Exception {
        GeneratedAccess access = new GeneratedAccess("made.Broken");
        access.start(
                () -> {
                    throw new AssertionError() {
                        private static final long serialVersionUID = 1L;

                        @Override
                        public String toString() {
                            throw new OutOfMemoryError("no room for words");
                        }
                    };
                });
        assertThat(access.outcome().get(60, TimeUnit.SECONDS).reason()).isEqualTo(Reason.FAILED);
    }

    /** Flink may end a process for an error that nobody catches. */
    @Test
    void noErrorOfTheThreadIsUncaught() throws Exception {
        List<String> options = List.of("-XX:MaxDirectMemorySize=16");
        ForkedJvm.Result result = ForkedJvm.run(options, NoDirectMemoryProbe.class);
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).as(result.output).containsExactly("true", "none");
    }

    /** An interrupt is the task's: it is neither lost nor waited through. */
    @Test
    void whoIsInterruptedDoesNotWait() throws Exception {
        CountDownLatch busy = busy();
        Class<?> type = row(new MadeLoader());
        Thread.currentThread().interrupt();
        RecordAccess first = Accesses.ofFields(type, type.getDeclaredFields(), SERIALIZERS);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(first.isPreliminary()).isTrue();
        busy.countDown();
    }

    /** Stock hands its array out; what is put there is not generated for others of the shape. */
    @Test
    void anArrayThatChangesMeanwhileIsOfOneSerializerOnly() throws Exception {
        CountDownLatch busy = busy();
        TypeSerializer<?> byKryo = new KryoSerializer<>(Integer.class, new SerializerConfigImpl());
        TypeSerializer<?>[] changing = {byKryo, IntSerializer.INSTANCE};
        RecordAccess first = Accesses.ofTuple(Tuple2.class, changing);
        changing[0] = IntSerializer.INSTANCE;
        busy.countDown();
        TypeSerializer<?>[] same = {byKryo, IntSerializer.INSTANCE};
        RecordAccess second = Accesses.ofTuple(Tuple2.class, same);
        while (second.isPreliminary()) {
            Thread.sleep(1);
            second = Accesses.ofTuple(Tuple2.class, same);
        }
        assertThat(first.isPreliminary()).isTrue();
        Tuple2<Integer, Integer> tuple = Tuple2.of(1, 2);
        assertThat(second.copy(tuple)).isEqualTo(tuple);
        DataOutputSerializer out = new DataOutputSerializer(16);
        assertThat(second.serialize(tuple, out)).isTrue();
        DataOutputSerializer stocks = new DataOutputSerializer(16);
        StockSerializers.tuple(Tuple2.class, same).serialize(tuple, stocks);
        assertThat(out.getCopyOfBuffer()).isEqualTo(stocks.getCopyOfBuffer());
    }

    @Test
    void theThreadHoldsNoClassLoader() throws Exception {
        Thread[] seen = new Thread[1];
        CountDownLatch run = new CountDownLatch(1);
        GenerationThread.run(
                () -> {
                    seen[0] = Thread.currentThread();
                    run.countDown();
                });
        assertThat(run.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(seen[0].isDaemon()).isTrue();
        assertThat(seen[0].getContextClassLoader()).isNull();
        seen[0].join(60_000);
        assertThat(seen[0].isAlive()).as("it ends when it is idle").isFalse();
    }

    @Test
    void threadsThatBeginAtOnceGetOneClass() throws Exception {
        Class<?> type = row(new MadeLoader());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Class<?>>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                calls.add(
                        () -> {
                            RecordPair pair = new RecordPair(type, SERIALIZERS);
                            pair.assertSame(pair.make(1, "x"));
                            return pair.access().getClass();
                        });
            }
            List<Class<?>> classes = new ArrayList<>();
            for (Future<Class<?>> each : threads.invokeAll(calls)) {
                classes.add(each.get(60, TimeUnit.SECONDS));
            }
            assertThat(classes).hasSize(8).containsOnly(classes.get(0));
        } finally {
            threads.shutdownNow();
        }
    }

    /** Nothing of ours keeps a job's class loader once the job is gone. */
    @Test
    void aClassLoaderIsCollected() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        List<PhantomReference<Object>> references = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            references.add(new PhantomReference<>(used(), collected));
        }
        for (PhantomReference<Object> each : references) {
            assertThat(gone(collected)).as("of %s", each).isTrue();
        }
    }

    private static Object used() throws Exception {
        MadeLoader loader = new MadeLoader();
        RecordPair pojo = new RecordPair(row(loader), SERIALIZERS);
        pojo.assertSame(pojo.make(1, "x"));
        Class<?> base = MadeType.pojo("made.Base").with("a", int.class).in(loader);
        Class<?> heir = MadeType.pojo("made.Heir").extending(base).in(loader);
        RecordPair hidden = new RecordPair(heir, base.getDeclaredFields(), IntSerializer.INSTANCE);
        hidden.assertSame(hidden.make(3));
        Class<?> type = MadeType.record("made.Record").with("a", int.class).in(loader);
        RecordPair record = new RecordPair(type, IntSerializer.INSTANCE);
        record.assertSame(record.make(2));
        return loader;
    }

    private static boolean gone(ReferenceQueue<Object> collected) throws InterruptedException {
        // As long as it takes: an idle thread lets go of the last class after a second.
        for (int i = 0; i < 600; i++) {
            System.gc();
            if (collected.remove(100) != null) {
                return true;
            }
        }
        return false;
    }

    /** A class loader that something holds is not: the test above can fail. */
    @Test
    void aClassLoaderThatIsHeldIsNotCollected() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        Object held = used();
        PhantomReference<Object> reference = new PhantomReference<>(held, collected);
        for (int i = 0; i < 5; i++) {
            System.gc();
            assertThat(collected.remove(20)).as("of %s", reference).isNull();
        }
        assertThat(held).isNotNull();
    }

    /** With fields that are mixed up, what holds ours to stock's says so. */
    @Test
    void aSpoiledGeneratorIsFoundOut() throws Exception {
        Class<?> type =
                MadeType.pojo("made.Row")
                        .with("a", int.class)
                        .with("b", int.class)
                        .in(new MadeLoader());
        Field[] fields = type.getDeclaredFields();
        RecordPair pair =
                new RecordPair(type, fields, IntSerializer.INSTANCE, IntSerializer.INSTANCE) {
                    @Override
                    RecordAccess access() throws Exception {
                        Field[] swapped = {fields[1], fields[0]};
                        return new RecordPair(type, swapped, serializers).access();
                    }
                };
        Object record = pair.make(1, 2);
        assertThat(pair.ourCopy(record)).isEqualTo(pair.stockCopy(record));
        assertThatThrownBy(() -> pair.assertSame(record)).isInstanceOf(AssertionError.class);
        pair.assertSame(pair.make(3, 3));
    }
}
