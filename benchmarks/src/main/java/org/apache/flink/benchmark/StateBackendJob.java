// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.benchmark.line.LocalCluster;
import org.apache.flink.benchmark.line.StateBackends;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FileUtils;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.TearDown;

/** A job on one state backend; as a rule that with tumbling windows. There are no checkpoints. */
public abstract class StateBackendJob extends ClusterJob {

    private Path folder;

    abstract String stateBackend();

    abstract int allRecords();

    @Override
    BenchmarkJob describe() throws IOException {
        folder = Files.createTempDirectory("flink-benchmark-state");
        return describe(folder);
    }

    BenchmarkJob describe(Path state) throws IOException {
        return on(stateBackend(), state, records(allRecords()));
    }

    /** The job itself. */
    static WindowJob on(String stateBackend, Path folder, long records) throws IOException {
        StreamExecutionEnvironment environment = LocalCluster.describe(1);
        StateBackends.use(environment, stateBackend, folder.toUri());
        return WindowJob.keyed(environment, WindowShape.TUMBLING, records);
    }

    @TearDown(Level.Trial)
    public void deleteFolder() throws IOException {
        FileUtils.deleteDirectory(folder.toFile());
    }
}
