// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import org.apache.flink.benchmark.line.LocalCluster;

/** A job that can be run again and again, and that knows what has to come out of it. */
interface BenchmarkJob {

    /**
     * Runs the job once, from submission to result.
     *
     * @return the number of records that reached the sink
     * @throws IllegalStateException when the job did other work than it should: a fast job that
     *     loses records must fail, not win
     */
    long run(LocalCluster cluster) throws Exception;
}
