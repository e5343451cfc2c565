// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The first string of a process: whatever method comes first, from several threads at once, and
 * from one that has been interrupted, our classes are initialised without waiting in a circle.
 */
class InitialisationTest {

    private static final String VALUE = "org.apache.flink.types.StringValue";
    private static final String OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer";
    private static final String INPUT = "org.apache.flink.core.memory.DataInputDeserializer";
    private static final String TEXT = "caf\u00e9 and more of it";
    private static final int ROUNDS = 12;
    private static final long PATIENCE_SECONDS = 120;

    /** What a thread does first with Flink's classes of a loader. */
    private interface First {
        Object with(ClassLoader flink) throws Exception;
    }

    @Test
    void everyMethodMayComeFirstAndAllAtOnce() throws Exception {
        List<First> firsts = firsts();
        for (int round = 0; round < ROUNDS; round++) {
            try (URLClassLoader flink = newFlink()) {
                Queue<Object> results = new ConcurrentLinkedQueue<>();
                CountDownLatch start = new CountDownLatch(1);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < firsts.size(); i++) {
                    First first = firsts.get((i + round) % firsts.size());
                    boolean interrupted = i == 0;
                    threads.add(
                            new Thread(
                                    () -> {
                                        try {
                                            start.await();
                                            if (interrupted) {
                                                Thread.currentThread().interrupt();
                                            }
                                            results.add(first.with(flink));
                                        } catch (Throwable e) {
                                            results.add(e);
                                        }
                                    }));
                }
                assertThat(end(threads, start, PATIENCE_SECONDS)).as("threads wait").isTrue();
                assertThat(results).hasSize(firsts.size()).containsOnly(TEXT);
            }
        }
    }

    @Test
    void eachMethodMayComeFirstAlone() throws Exception {
        for (First first : firsts()) {
            try (URLClassLoader flink = newFlink()) {
                assertThat(first.with(flink)).isEqualTo(TEXT);
                Class<?> mode = flink.loadClass("org.apache.flink.boost.guard.BoostMode");
                Class<?> here = org.apache.flink.boost.guard.BoostMode.class;
                assertThat(mode).isNotSameAs(here);
                assertThat(mode.getField("ENABLED").get(null))
                        .isEqualTo(here.getField("ENABLED").get(null));
            }
        }
    }

    /** The watch over the threads bites. */
    @Test
    void aThreadThatWaitsIsFoundOut() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Thread waiting =
                new Thread(
                        () -> {
                            try {
                                never.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        assertThat(end(List.of(waiting), new CountDownLatch(1), 0)).isFalse();
        never.countDown();
        waiting.join();
    }

    private static boolean end(List<Thread> threads, CountDownLatch start, long seconds)
            throws InterruptedException {
        for (Thread thread : threads) {
            thread.setDaemon(true);
            thread.start();
        }
        start.countDown();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (Thread thread : threads) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            thread.join(Math.max(left, 1));
            if (thread.isAlive()) {
                return false;
            }
        }
        return true;
    }

    private static List<First> firsts() {
        byte[] bytes = Wire.encoded(TEXT);
        byte[] instance = Wire.encoded(TEXT, 0);
        return List.of(
                flink -> read(flink, input(flink, bytes)),
                flink -> read(flink, new DataInputStream(new ByteArrayInputStream(bytes))),
                flink -> {
                    Object out = output(flink);
                    write(flink, (DataOutput) out);
                    return decoded(
                            (byte[]) out.getClass().getMethod("getCopyOfBuffer").invoke(out));
                },
                flink -> {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    write(flink, new DataOutputStream(out));
                    return decoded(out.toByteArray());
                },
                flink -> {
                    Object out = output(flink);
                    flink.loadClass(VALUE)
                            .getMethod("copyString", DataInput.class, DataOutput.class)
                            .invoke(null, input(flink, bytes), out);
                    return decoded(
                            (byte[]) out.getClass().getMethod("getCopyOfBuffer").invoke(out));
                },
                flink -> {
                    Class<?> type = flink.loadClass(VALUE);
                    Object value = type.getConstructor().newInstance();
                    Class<?> view = flink.loadClass("org.apache.flink.core.memory.DataInputView");
                    type.getMethod("read", view).invoke(value, input(flink, instance));
                    return value.toString();
                });
    }

    private static Object read(ClassLoader flink, Object in) throws Exception {
        return flink.loadClass(VALUE).getMethod("readString", DataInput.class).invoke(null, in);
    }

    private static void write(ClassLoader flink, DataOutput out) throws Exception {
        flink.loadClass(VALUE)
                .getMethod("writeString", CharSequence.class, DataOutput.class)
                .invoke(null, TEXT, out);
    }

    private static Object input(ClassLoader flink, byte[] bytes) throws Exception {
        return flink.loadClass(INPUT).getConstructor(byte[].class).newInstance(bytes);
    }

    private static Object output(ClassLoader flink) throws Exception {
        return flink.loadClass(OUTPUT).getConstructor(int.class).newInstance(8);
    }

    private static String decoded(byte[] bytes) {
        return java.util.Arrays.equals(bytes, Wire.encoded(TEXT)) ? TEXT : Wire.hex(bytes);
    }

    /**
     * Our classes, of which none is initialised yet. Without log4j, which cannot be initialised in
     * a thread that has been interrupted; stock's views of 1.9 have a logger.
     */
    private static URLClassLoader newFlink() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : ForkedJvm.withoutLog4j()) {
            urls.add(new File(entry).toURI().toURL());
        }
        return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }
}
