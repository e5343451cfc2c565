// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import java.io.IOException;
import java.net.URI;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The state backends that the upstream suite's parameter names; on this line they are real. */
public final class StateBackends {

    private StateBackends() {}

    /**
     * Gives a job its state backend.
     *
     * @param folder for checkpoints; there are none
     * @throws IllegalArgumentException when there is no backend of that name
     */
    public static void use(StreamExecutionEnvironment environment, String name, URI folder)
            throws IOException {
        environment.setStateBackend(named(name, folder.toString()));
    }

    private static StateBackend named(String name, String folder) throws IOException {
        switch (name) {
            case "MEMORY":
                return new MemoryStateBackend();
            case "FS":
                return new FsStateBackend(folder, false);
            case "FS_ASYNC":
                return new FsStateBackend(folder, true);
            case "ROCKS":
                return new RocksDBStateBackend(folder, false);
            case "ROCKS_INC":
                return new RocksDBStateBackend(folder, true);
            default:
                throw new IllegalArgumentException("Unknown state backend '" + name + "'.");
        }
    }
}
