// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.types.StringValue;

/** Threads read strings and keep them until the heap is full; each says what ended it. */
public final class FullHeapProbe {

    private FullHeapProbe() {}

    /** Arguments: rounds, and threads that read at once. */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        byte[] bytes = Wire.encoded("flink");
        for (int round = 0; round < rounds; round++) {
            Throwable[] ends = new Throwable[threads];
            CountDownLatch gate = new CountDownLatch(1);
            Thread[] started = new Thread[threads];
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                started[thread] = new Thread(() -> ends[number] = fill(bytes, gate));
                started[thread].start();
            }
            // From here on this thread allocates nothing until the heap is empty again.
            gate.countDown();
            for (Thread one : started) {
                one.join();
            }
            for (Throwable end : ends) {
                System.out.println("= " + end.getClass().getName());
            }
        }
    }

    private static Throwable fill(byte[] bytes, CountDownLatch gate) {
        List<String> kept = new ArrayList<>();
        try {
            gate.await();
            while (true) {
                kept.add(StringValue.readString(new DataInputDeserializer(bytes)));
            }
        } catch (Throwable e) {
            kept.clear();
            return e;
        }
    }
}
