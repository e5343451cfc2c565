// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import org.apache.flink.benchmark.line.LocalCluster;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A job and the cluster that all invocations of a fork share. */
@State(Scope.Benchmark)
public abstract class ClusterJob {

    /** Name of a system property for tests: how many times fewer records the jobs have. */
    static final String SHORTENED = "flink.benchmark.shortened";

    private LocalCluster cluster;
    private BenchmarkJob job;

    abstract BenchmarkJob describe() throws Exception;

    /**
     * How many records to describe; JMH still counts {@code full} ones, so rates are wrong then.
     */
    static int records(int full) {
        return full / Integer.getInteger(SHORTENED, 1);
    }

    @Setup(Level.Trial)
    public void start() throws Exception {
        // In this order, as in Flink's own processes: a patch of Flink is in place when one starts.
        cluster = LocalCluster.start();
        if (this instanceof SessionClusterBenchmarks.AfterOtherJobs) {
            OtherJobs.run(cluster);
        }
        job = describe();
    }

    @TearDown(Level.Trial)
    public void stop() {
        cluster.close();
    }

    long run() throws Exception {
        return job.run(cluster);
    }
}
