// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.api.java.tuple.Tuple6;

/**
 * Says whether accesses are there at once, or after half a second of waiting: the first ones, one
 * that is not made in time, one behind it, and one when those are made.
 */
public final class FirstAccessProbe {

    private static final long PATIENCE_NANOSECONDS = 500_000_000;

    private FirstAccessProbe() {}

    /** Runs it; without arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        tell(Tuple2.class, 2);
        awaitMade(Tuple2.class, 2);
        tell(Tuple3.class, 3);
        awaitMade(Tuple3.class, 3);
        CountDownLatch busy = new CountDownLatch(1);
        GenerationThread.run(
                () -> {
                    try {
                        busy.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        tell(Tuple4.class, 4);
        tell(Tuple5.class, 5);
        busy.countDown();
        awaitMade(Tuple4.class, 4);
        awaitMade(Tuple5.class, 5);
        tell(Tuple6.class, 6);
        System.exit(0);
    }

    private static void awaitMade(Class<?> type, int arity) throws InterruptedException {
        while (access(type, arity).isPreliminary()) {
            Thread.sleep(1);
        }
    }

    private static RecordAccess access(Class<?> type, int arity) {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[arity];
        Arrays.fill(serializers, IntSerializer.INSTANCE);
        return Accesses.ofTuple(type, serializers);
    }

    private static void tell(Class<?> type, int arity) {
        long begin = System.nanoTime();
        boolean isThere = !access(type, arity).isPreliminary();
        boolean isWaitedFor = System.nanoTime() - begin >= PATIENCE_NANOSECONDS;
        System.out.println(
                "= " + (isThere ? "there" : isWaitedFor ? "waited for" : "not waited for"));
    }
}
