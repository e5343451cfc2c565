// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.List;
import org.apache.flink.benchmark.line.LocalCluster;

/**
 * What a session cluster has run before the job that is measured: jobs with POJOs, lists, tuples,
 * rows and Kryo. In a process that knows one job only, HotSpot inlines that job's serializers where
 * the TaskManager of a session, and a job of several types, has calls.
 */
final class OtherJobs {

    /** Each time new tasks; the second round finds what the first has made known. */
    private static final int ROUNDS = 2;

    private static final int RECORDS = 204_800;

    private OtherJobs() {}

    /**
     * Runs them, one after the other.
     *
     * @throws IllegalStateException when one of them loses a record
     */
    static void run(LocalCluster cluster) throws Exception {
        long records = ClusterJob.records(RECORDS);
        List<BenchmarkJob> jobs =
                List.of(
                        PurchaseJobs.chain(records),
                        PurchaseJobs.nested(records),
                        PurchaseJobs.count(records),
                        RecordJob.of(JobRecords::orders, JobRecords.ORDER, 4, records),
                        RecordJob.of(JobRecords::tuples, JobRecords.TUPLE, 4, records),
                        RecordJob.of(JobRecords::rows, JobRecords.ROW, 4, records),
                        RecordJob.of(JobRecords::orders, JobRecords.KRYO_ORDER, 4, records));
        for (int round = 0; round < ROUNDS; round++) {
            for (BenchmarkJob job : jobs) {
                job.run(cluster);
            }
        }
    }
}
