// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.IterationResultMetaData;
import org.openjdk.jmh.results.Result;

class CpuTimeProfilerTest {

    private static final long MILLIS = 400;

    @Test
    void busyTimeIsCountedPerOperation() throws Exception {
        Result<?> result = profile(1000, CpuTimeProfilerTest::spin);
        assertThat(result.getLabel()).isEqualTo("cpu.time.norm");
        assertThat(result.getScoreUnit()).isEqualTo("ns/op");
        double millis = result.getScore() * 1000 / 1e6;
        // Other threads of this JVM (compiler, collector) count as well, so only a loose upper end.
        assertThat(millis).isBetween(0.8 * MILLIS, 4.0 * MILLIS);
    }

    @Test
    void sleepCostsNothing() throws Exception {
        Result<?> result = profile(1, () -> TimeUnit.MILLISECONDS.sleep(MILLIS));
        assertThat(result.getScore() / 1e6).isLessThan(0.5 * MILLIS);
    }

    @Test
    void operationsAreCounted() throws Exception {
        CpuTimeProfiler profiler = new CpuTimeProfiler();
        profiler.beforeIteration(null, null);
        assertThat(profiler.afterIteration(null, null, iteration(1234)))
                .filteredOn(result -> result.getLabel().equals("operations"))
                .singleElement()
                .satisfies(result -> assertThat(result.getScore()).isEqualTo(1234))
                .satisfies(result -> assertThat(result.getScoreUnit()).isEqualTo("ops"));
    }

    @Test
    void noOperationsGiveNoResult() throws Exception {
        CpuTimeProfiler profiler = new CpuTimeProfiler();
        profiler.beforeIteration(null, null);
        assertThat(profiler.afterIteration(null, null, iteration(0))).isEmpty();
    }

    @Test
    void threadsThatBeginAreToldWhereTheirAllocationMayBeLost() throws Exception {
        CpuTimeProfiler profiler = new CpuTimeProfiler(false);
        profiler.beforeIteration(null, null);
        for (int i = 0; i < 3; i++) {
            Thread task = new Thread(() -> {});
            task.start();
            task.join();
        }
        // Others of this JVM may begin meanwhile.
        assertThat(uncounted(profiler))
                .singleElement()
                .satisfies(n -> assertThat(n).isBetween(3., 9.));
        profiler.beforeIteration(null, null);
        assertThat(uncounted(profiler)).singleElement().satisfies(n -> assertThat(n).isLessThan(3));
        assertThat(uncounted(new CpuTimeProfiler(true))).isEmpty();
    }

    @Test
    void theJvmIsAskedForTheTotalThatJmhTakes() {
        assertThat(CpuTimeProfiler.countsEndedThreads(WithTotal.class)).isTrue();
        assertThat(CpuTimeProfiler.countsEndedThreads(Work.class)).isFalse();
        if (Runtime.version().feature() >= 21) {
            assertThat(CpuTimeProfiler.countsEndedThreads(com.sun.management.ThreadMXBean.class))
                    .isTrue();
        }
    }

    private static List<Double> uncounted(CpuTimeProfiler profiler) {
        return profiler.afterIteration(null, null, iteration(1)).stream()
                .filter(result -> result.getLabel().equals("threads.uncounted"))
                .map(Result::getScore)
                .collect(Collectors.toList());
    }

    private static Result<?> profile(long operations, Work work)
            throws ProfilerException, InterruptedException {
        CpuTimeProfiler profiler = new CpuTimeProfiler();
        profiler.beforeIteration(null, null);
        work.run();
        Collection<? extends Result<?>> results =
                profiler.afterIteration(null, null, iteration(operations));
        return results.iterator().next();
    }

    /** Spins for so much time on the processor, not on the clock: the machine may be busy. */
    private static void spin() {
        java.lang.management.ThreadMXBean threads =
                java.lang.management.ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        while (threads.getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static IterationResult iteration(long operations) {
        return new IterationResult(null, null, new IterationResultMetaData(operations, operations));
    }

    /** What the newer JVMs' own interface has. */
    private interface WithTotal {
        long getTotalThreadAllocatedBytes();
    }

    private interface Work {
        void run() throws InterruptedException;
    }
}
