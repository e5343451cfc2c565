// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.runtime.io.benchmark.StreamNetworkBroadcastThroughputBenchmark;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Records of eight bytes from four writers, each to all of its 100 channels; otherwise as {@link
 * StreamNetworkThroughputBenchmarkExecutor}.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms1g", "-Xmx1g", "-XX:MaxDirectMemorySize=3g"})
@Warmup(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
public class StreamNetworkBroadcastThroughputBenchmarkExecutor {

    static final int RECORDS = 500_000;

    /** In milliseconds: by then something is lost, and the fork fails. */
    private static final long GIVE_UP = 120_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void networkBroadcastThroughput(Network network) throws Exception {
        network.driver.executeBenchmark(RECORDS, GIVE_UP);
    }

    /** Writers, connection and reader; they outlive the invocations. */
    @State(Scope.Thread)
    public static class Network {

        private static final int WRITERS = 4;
        private static final int CHANNELS = 100;
        private static final int FLUSH_TIMEOUT = 100;

        private final StreamNetworkBroadcastThroughputBenchmark driver =
                new StreamNetworkBroadcastThroughputBenchmark();

        @Setup(Level.Trial)
        public void setUp() throws Exception {
            driver.setUp(WRITERS, CHANNELS, FLUSH_TIMEOUT);
        }

        @TearDown(Level.Trial)
        public void tearDown() throws Exception {
            driver.tearDown();
        }
    }
}
