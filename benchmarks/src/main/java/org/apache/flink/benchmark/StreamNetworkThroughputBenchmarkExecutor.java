// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.runtime.io.benchmark.StreamNetworkThroughputBenchmark;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Records of eight bytes from four writers over one connection to one reader in the same JVM.
 *
 * <p>The network is the one of Flink's published test jars, which the upstream suite drives, too;
 * so are the name, the shapes and the number of writers and records. The driver waits until the
 * last record has arrived.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-XX:+UseG1GC", "-Xms1g", "-Xmx1g", "-XX:MaxDirectMemorySize=3g"})
@Warmup(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 400, timeUnit = TimeUnit.MILLISECONDS)
public class StreamNetworkThroughputBenchmarkExecutor {

    static final int RECORDS = 5_000_000;

    /** In milliseconds: by then something is lost, and the fork fails. */
    private static final long GIVE_UP = 120_000;

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void networkThroughput(Network network) throws Exception {
        network.driver.executeBenchmark(RECORDS, GIVE_UP);
    }

    /** Writers, connection and reader; they outlive the invocations. */
    @State(Scope.Thread)
    public static class Network {

        private static final int WRITERS = 4;

        /** Channels of each writer, and how long a record may wait; see {@link NetworkShape}. */
        @Param({"100,100ms", "100,100ms,SSL", "1000,1ms", "1000,100ms", "1000,100ms,SSL"})
        public String channelsFlushTimeout;

        private final StreamNetworkThroughputBenchmark driver =
                new StreamNetworkThroughputBenchmark();

        private InternalKey key;

        @Setup(Level.Trial)
        public void setUp() throws Exception {
            NetworkShape shape = NetworkShape.named(channelsFlushTimeout);
            Configuration configuration = new Configuration();
            if (shape.ssl) {
                key = InternalKey.create();
                key.configure(configuration);
            }
            // Not broadcast, not local; as many buffers as the driver finds right.
            driver.setUp(
                    WRITERS,
                    shape.channels,
                    shape.flushTimeout,
                    false,
                    false,
                    -1,
                    -1,
                    configuration);
        }

        @TearDown(Level.Trial)
        public void tearDown() throws Exception {
            driver.tearDown();
            close(key);
        }

        private static void close(InternalKey key) throws IOException {
            if (key != null) {
                key.close();
            }
        }
    }
}
