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
 * Tumbling windows with their state in RocksDB: most of a record's cost is there, next to none on
 * its way. {@code ROCKS_INC} would make incremental checkpoints; there are none here, as upstream.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms768m", "-Xmx768m", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class RocksStateBackendBenchmark {

    static final int RECORDS = 100_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long stateBackends(RocksJob job) throws Exception {
        return job.run();
    }

    /** On the backend that the parameter names. */
    public static class RocksJob extends StateBackendJob {

        @Param({"ROCKS", "ROCKS_INC"})
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
