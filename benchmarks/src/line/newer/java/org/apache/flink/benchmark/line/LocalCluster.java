// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.time.Duration;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ResourceManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A cluster in this JVM: one JobManager, one TaskManager with four slots. */
public final class LocalCluster implements AutoCloseable {

    private static final int SLOTS = 4;

    private final MiniCluster cluster;

    private LocalCluster(MiniCluster cluster) {
        this.cluster = cluster;
    }

    public static LocalCluster start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        // 1,024 buffers of 32 KB: enough that four by four channels never wait for one.
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
        // Each job would otherwise wait 50 ms for its slots, which is no work of the record path.
        configuration.set(ResourceManagerOptions.REQUIREMENTS_CHECK_DELAY, Duration.ZERO);
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
        Configuration configuration = new Configuration();
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        environment.getConfig().enableObjectReuse();
        SerializerConfigImpl serializers =
                (SerializerConfigImpl) environment.getConfig().getSerializerConfig();
        for (Class<?> type : kryoTypes) {
            serializers.registerKryoType(type);
        }
        return environment;
    }

    /**
     * Runs a job to its end and returns its result. The same graph can be run again and again: it
     * gets a new identity each time, because a dispatcher refuses a job that it has seen, and the
     * cluster works on a copy of its own.
     */
    public JobExecutionResult run(JobGraph job) throws Exception {
        job.setJobID(new JobID());
        return cluster.executeJobBlocking(job);
    }

    @Override
    public void close() {
        cluster.closeAsync().join();
    }
}
