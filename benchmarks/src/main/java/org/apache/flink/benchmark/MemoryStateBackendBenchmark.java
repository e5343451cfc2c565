// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Tumbling windows with their state on the heap. The names of the backends are the upstream suite's
 * and Flink 1.9's: {@code MEMORY} keeps checkpoints at the JobManager, {@code FS} and {@code
 * FS_ASYNC} in files, written while the task waits or works on. On newer lines all three are the
 * {@code hashmap} backend; only where checkpoints go differs, and {@code FS} and {@code FS_ASYNC}
 * are the same thing. There are no checkpoints here, as upstream.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class MemoryStateBackendBenchmark {

    static final int RECORDS = 2_000_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long stateBackends(MemoryJob job) throws Exception {
        return job.run();
    }

    /** On the backend that the parameter names. */
    public static class MemoryJob extends StateBackendJob {

        @Param({"MEMORY", "FS", "FS_ASYNC"})
        public String stateBackend;

        @Override
        String stateBackend() {
            return stateBackend;
        }

        @Override
        int allRecords() {
            return RECORDS;
        }
    }
}
