// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.net.URI;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Today's equivalents of the state backends that the upstream suite's parameter names: {@code
 * MEMORY} is the {@code hashmap} backend with checkpoints at the JobManager; {@code FS} and {@code
 * FS_ASYNC} are both {@code hashmap} with checkpoints in files, because it only writes them
 * asynchronously now; {@code ROCKS} and {@code ROCKS_INC} are {@code rocksdb}, full and
 * incremental.
 */
public final class StateBackends {

    private StateBackends() {}

    /**
     * Gives a job its state backend.
     *
     * @param folder for checkpoints; there are none
     * @throws IllegalArgumentException when there is no backend of that name
     */
    public static void use(StreamExecutionEnvironment environment, String name, URI folder) {
        Configuration configuration = new Configuration();
        switch (name) {
            case "MEMORY":
                configuration.setString("state.backend.type", "hashmap");
                configuration.setString("execution.checkpointing.storage", "jobmanager");
                break;
            case "FS":
            case "FS_ASYNC":
                configuration.setString("state.backend.type", "hashmap");
                configuration.setString("execution.checkpointing.storage", "filesystem");
                break;
            case "ROCKS":
            case "ROCKS_INC":
                configuration.setString("state.backend.type", "rocksdb");
                configuration.setString("execution.checkpointing.storage", "filesystem");
                configuration.setString(
                        "execution.checkpointing.incremental",
                        Boolean.toString(name.equals("ROCKS_INC")));
                // What one slot of a TaskManager of 1 GB has; the 32 MB of ours are too few.
                configuration.setString("state.backend.rocksdb.memory.fixed-per-slot", "307mb");
                break;
            default:
                throw new IllegalArgumentException("Unknown state backend '" + name + "'.");
        }
        configuration.setString("execution.checkpointing.dir", folder.toString());
        environment.configure(configuration);
    }
}
