// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import javax.management.ObjectName;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** A process that reads random records by Kryo as stock does, and tells what was checked. */
final class KryoCheckedProbe {

    private static final int ROWS = 60;
    private static final int IN_A_ROW = 3;

    private KryoCheckedProbe() {}

    /**
     * Runs it.
     *
     * @param arguments the seed of the records
     */
    public static void main(String[] arguments) throws Exception {
        Random random = new Random(Long.parseLong(arguments[0]));
        KryoPair pair = new KryoPair(KryoGraphs.Node.class);
        for (int row = 0; row < ROWS; row++) {
            DataOutputSerializer out = new DataOutputSerializer(64);
            KryoGraphs graphs = new KryoGraphs(random);
            for (int i = 0; i < IN_A_ROW; i++) {
                pair.stock.serialize(graphs.node(2), out);
            }
            byte[] bytes = out.getCopyOfBuffer();
            assertRead(pair, bytes, row);
            assertRead(pair, Arrays.copyOf(bytes, random.nextInt(bytes.length)), row);
        }
        Object checked =
                ManagementFactory.getPlatformMBeanServer()
                        .getAttribute(
                                new ObjectName("org.apache.flink.boost:type=Records"), "Checked");
        for (String each : (String[]) checked) {
            System.out.println("= " + each);
        }
    }

    private static void assertRead(KryoPair pair, byte[] bytes, int row) {
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        for (int i = 0; i < IN_A_ROW; i++) {
            String expected = text(pair, pair.stock::deserialize, stock);
            String read = text(pair, pair.ours::deserialize, ours);
            if (!read.equals(expected) || ours.available() != stock.available()) {
                throw new AssertionError(
                        "row " + row + ", " + i + ": " + read + " and not " + expected);
            }
            if (expected.startsWith("threw")) {
                // Once a record has failed, what is left of it is the next one's in a way of stock
                // that a check does not follow.
                return;
            }
        }
    }

    private static String text(KryoPair pair, KryoPair.Reading reading, DataInputDeserializer in) {
        return Outcome.of(() -> Arrays.toString(pair.duplicate().bytes(reading.read(in))));
    }
}
