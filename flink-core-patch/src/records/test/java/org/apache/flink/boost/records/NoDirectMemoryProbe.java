// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.tuple.Tuple2;

/** Shows HotSpot the views where there is no direct memory; says what nobody has caught. */
public final class NoDirectMemoryProbe {

    private NoDirectMemoryProbe() {}

    /** Runs it; without arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.set(thrown));
        TypeSerializer<?>[] serializers = {IntSerializer.INSTANCE, IntSerializer.INSTANCE};
        RecordAccess access = Accesses.ofTuple(Tuple2.class, serializers);
        while (access.isPreliminary()) {
            Thread.sleep(1);
            access = Accesses.ofTuple(Tuple2.class, serializers);
        }
        // The JDK asks for such memory for half a second; the thread ends when it has nothing to
        // do.
        while (Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals("flink-boost-generation"))) {
            Thread.sleep(10);
        }
        System.out.println("= " + (access != RecordAccess.STOCK));
        System.out.println("= " + (uncaught.get() == null ? "none" : uncaught.get()));
        System.exit(0);
    }
}
