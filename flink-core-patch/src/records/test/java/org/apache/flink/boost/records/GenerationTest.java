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
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.junit.jupiter.api.Test;

/** When classes are generated, by whom, and when they go. */
class GenerationTest {

    private static final TypeSerializer<?>[] SERIALIZERS = {
        IntSerializer.INSTANCE, StringSerializer.INSTANCE
    };

    private static Class<?> row(MadeLoader loader) {
        return MadeType.pojo("made.Row").with("a", int.class).with("b", String.class).in(loader);
    }

    /** Stock's body does it while the class is being generated, and nobody waits. */
    @Test
    void untilItIsThereStockGoesOn() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        GenerationThread.run(
                () -> {
                    try {
                        busy.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        Class<?> type = row(new MadeLoader());
        RecordAccess first = Accesses.ofFields(type, type.getDeclaredFields(), SERIALIZERS);
        assertThat(first.isPreliminary()).isTrue();
        assertThat(first.copy(new Object())).isSameAs(RecordAccess.TO_STOCK);
        busy.countDown();
        RecordPair pair = new RecordPair(type, SERIALIZERS);
        assertThat(pair.access().isPreliminary()).isFalse();
        pair.assertSame(pair.make(1, "x"));
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
