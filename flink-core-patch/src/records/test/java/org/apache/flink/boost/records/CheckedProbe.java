// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.guard.GuardFileSystemFactory;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** A process that moves random records by woven serializers, and tells what was checked. */
final class CheckedProbe {

    private static final int KINDS = 40;
    private static final int TIMES = 10;

    private CheckedProbe() {}

    /**
     * Runs it.
     *
     * @param arguments the seed of the records
     */
    public static void main(String[] arguments) throws Exception {
        // As each process of Flink does first.
        new GuardFileSystemFactory().getScheme();
        System.out.println("= begins " + System.getProperty("flink.boost.records.checked"));
        Random random = new Random(Long.parseLong(arguments[0]));
        for (int i = 0; i < KINDS; i++) {
            RandomRecords.Kind kind = new RandomRecords(random.nextLong()).kind(8, 2);
            RecordPair pair = kind.pair;
            TypeSerializer<Object> ours =
                    StockSerializers.ourPojo(pair.type, pair.fields, pair.serializers);
            Object record = kind.make();
            RecordAccess.Holder holder = (RecordAccess.Holder) (Object) ours;
            do {
                Thread.sleep(1);
                ours.copy(record);
            } while (holder.boostAccess().isPreliminary());
            for (int time = 0; time < TIMES; time++) {
                move(ours, pair, kind.make());
            }
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = new ObjectName("org.apache.flink.boost:type=Records");
        if (server.isRegistered(bean)) {
            for (String each : (String[]) server.getAttribute(bean, "Checked")) {
                System.out.println("= bean " + each);
            }
            System.out.println("= differing " + server.getAttribute(bean, "Differing"));
        }
        String property = System.getProperty("flink.boost.records.checked", "");
        property.lines().forEach(each -> System.out.println("= property " + each));
    }

    private static void move(TypeSerializer<Object> ours, RecordPair pair, Object record)
            throws Exception {
        byte[] stocks = pair.bytes(record);
        DataOutputSerializer out = new DataOutputSerializer(1);
        ours.serialize(record, out);
        require(Arrays.equals(out.getCopyOfBuffer(), stocks));
        Object read = ours.deserialize(new DataInputDeserializer(stocks));
        require(Arrays.equals(pair.bytes(read), stocks));
        require(Arrays.equals(pair.bytes(ours.copy(record)), stocks));
    }

    private static void require(boolean equal) {
        if (!equal) {
            throw new AssertionError("It is not what stock does.");
        }
    }
}
