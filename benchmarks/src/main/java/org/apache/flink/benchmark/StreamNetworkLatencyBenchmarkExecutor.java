// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.runtime.io.benchmark.StreamNetworkPointToPointBenchmark;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time until a hundred records have arrived over a connection that is flushed every ten
 * milliseconds: mostly waiting. Name and shape are the upstream suite's.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms1g", "-Xmx1g", "-XX:MaxDirectMemorySize=3g"})
@Warmup(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
public class StreamNetworkLatencyBenchmarkExecutor {

    private static final int RECORDS = 100;

    @Benchmark
    public void networkLatency1to1(Network network) throws Exception {
        network.driver.executeBenchmark(RECORDS, false);
    }

    /** Writer, connection and reader; they outlive the invocations. */
    @State(Scope.Thread)
    public static class Network {

        private static final int FLUSH_TIMEOUT = 10;

        private final StreamNetworkPointToPointBenchmark driver =
                new StreamNetworkPointToPointBenchmark();

        @Setup(Level.Trial)
        public void setUp() throws Exception {
            driver.setUp(FLUSH_TIMEOUT);
        }

        @TearDown(Level.Trial)
        public void tearDown() throws Exception {
            driver.tearDown();
        }
    }
}
