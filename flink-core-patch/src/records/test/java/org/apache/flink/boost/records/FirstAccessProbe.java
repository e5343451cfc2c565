// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;

/** Says whether accesses are there at once: the first ones, and one that is not made in time. */
public final class FirstAccessProbe {

    private FirstAccessProbe() {}

    /** Runs it; without arguments. */
    public static void main(String[] arguments) {
        tell(Tuple2.class, 2);
        tell(Tuple3.class, 3);
        CountDownLatch never = new CountDownLatch(1);
        GenerationThread.run(
                () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        tell(Tuple4.class, 4);
        System.exit(0);
    }

    private static void tell(Class<?> type, int arity) {
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[arity];
        Arrays.fill(serializers, IntSerializer.INSTANCE);
        System.out.println("= " + Accesses.ofTuple(type, serializers).isPreliminary());
    }
}
