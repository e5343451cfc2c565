// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.InstantiationUtil;

/** A cluster in this JVM: one JobManager, one TaskManager with four slots. */
public final class LocalCluster implements AutoCloseable {

    private static final int SLOTS = 4;

    private final MiniCluster cluster;

    private LocalCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    public static LocalCluster start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString(RestOptions.BIND_PORT, "0");
        // 1,024 buffers of 32 KB: enough that four by four channels never wait for one.
        configuration.setString(NettyShuffleEnvironmentOptions.NETWORK_BUFFERS_MEMORY_MIN, "32m");
        configuration.setString(NettyShuffleEnvironmentOptions.NETWORK_BUFFERS_MEMORY_MAX, "32m");
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        cluster.start();
        return new LocalCluster(cluster);
    }

    /**
     * An environment to describe a job in; it cannot execute anything itself. Kryo writes a number
     * instead of the name for each of the given classes, if it comes upon one.
     */
    public static StreamExecutionEnvironment describe(int parallelism, Class<?>... kryoTypes) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(parallelism);
        environment.setRestartStrategy(RestartStrategies.noRestart());
        environment.getConfig().enableObjectReuse();
        for (Class<?> type : kryoTypes) {
            environment.getConfig().registerKryoType(type);
        }
        return environment;
    }

    /** Runs a job to its end and returns its result. The same graph can be run again and again. */
    public JobExecutionResult run(JobGraph job) throws Exception {
        return cluster.executeJobBlocking(withNewIdentity(job));
    }

    /**
     * A dispatcher refuses a job that it has seen, and a graph keeps its identity for good. Later
     * releases with this line's API have other setters, but all have the field.
     */
    private static JobGraph withNewIdentity(JobGraph job)
            throws IOException, ReflectiveOperationException {
        JobGraph copy = InstantiationUtil.clone(job);
        Field identity = JobGraph.class.getDeclaredField("jobID");
        identity.setAccessible(true);
        identity.set(copy, new JobID());
        return copy;
    }

    @Override
    public void close() {
        cluster.closeAsync().join();
    }
}
