// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.api.Test;

/**
 * Many threads, each with views of its own, as tasks have them; the strings and the encoded bytes
 * are shared between all.
 */
class ConcurrencyTest {

    private static final int THREADS = 8;
    private static final long NANOSECONDS = TimeUnit.SECONDS.toNanos(2);

    @Test
    void eightThreadsWithTheirOwnViewsGetTheSame() throws Exception {
        List<SoakCase> cases = new ArrayList<>();
        for (int index = 0; index < 4000; index++) {
            cases.add(SoakCase.of(90, index));
        }
        CountDownLatch together = new CountDownLatch(THREADS);
        List<Callable<Long>> work = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Codec patched = Sides.patched();
            Codec stock = Sides.stock();
            SplittableRandom random = new SplittableRandom(thread);
            work.add(
                    () -> {
                        Comparison comparison = new Comparison(patched, stock);
                        together.countDown();
                        together.await();
                        long began = System.nanoTime();
                        long checked = 0;
                        while (System.nanoTime() - began < NANOSECONDS || checked < 100) {
                            comparison.check(cases.get(random.nextInt(cases.size())));
                            checked++;
                        }
                        return checked;
                    });
        }
        for (long checked : results(work)) {
            assertThat(checked).isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void oneArrayIsReadByAllAtOnce() throws Exception {
        String[] texts = {"ascii only, and so on", "\u0416\u6f22 mixed", "caf\u00e9".repeat(99)};
        Codec writer = Sides.stock();
        writer.open(Codec.Output.SERIALIZER, 16);
        for (String text : texts) {
            writer.writeString(text);
        }
        byte[] bytes = Arrays.copyOf(writer.written(), writer.writtenLength());
        List<Callable<Long>> work = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Codec patched = Sides.patched();
            work.add(
                    () -> {
                        long read = 0;
                        for (int i = 0; i < 3000; i++) {
                            for (Codec.Input view : Codec.Input.values()) {
                                patched.open(view, bytes, 0, bytes.length);
                                for (String text : texts) {
                                    if (!text.equals(patched.readString())) {
                                        throw new AssertionError(view + ": " + text);
                                    }
                                    read++;
                                }
                            }
                        }
                        return read;
                    });
        }
        for (long read : results(work)) {
            assertThat(read).isEqualTo(3000L * Codec.Input.values().length * texts.length);
        }
    }

    private static List<Long> results(List<Callable<Long>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            List<Long> results = new ArrayList<>();
            for (Future<Long> future : threads.invokeAll(work, 300, TimeUnit.SECONDS)) {
                results.add(future.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }
}
