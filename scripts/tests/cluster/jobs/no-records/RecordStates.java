// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.streaming.api.datastream.DataStream;

/** The part of {@link StateJob} that holds records, where nobody moves them but Flink. */
final class RecordStates {

    private RecordStates() {}

    /** Whether a command is meant for this part of the job; it is given none. */
    static boolean isOfRecords(String[] command) {
        return false;
    }

    static void follow(DataStream<String[]> commands, String folder) {}
}
