// SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.ObjectName;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A program with a main method of its own: {@code plain} uses Flink's serializer of POJOs alone,
 * {@code job} runs a job in a cluster in its own JVM, {@code prepared} asks for file systems before
 * it does so.
 */
final class CheckedProgram {

    private static final int RECORDS = 20_000;

    /** Those in which the generated class has its time to come. */
    private static final int SLOW = 500;

    /** A POJO. */
    public static class Order {
        public int amount;
        public int discount;

        /** For Flink. */
        public Order() {}

        Order(int amount) {
            this.amount = amount;
            this.discount = amount / 2;
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("prepared")) {
            FileSystem.initialize(new Configuration(), null);
        }
        System.out.println("sum=" + (arguments[0].equals("plain") ? plain() : job()));
        ObjectName bean = new ObjectName("org.apache.flink.boost:type=Records");
        if (ManagementFactory.getPlatformMBeanServer().isRegistered(bean)) {
            Object checked =
                    ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Checked");
            Arrays.stream((String[]) checked).forEach(each -> System.out.println("bean=" + each));
        }
    }

    private static long plain() throws Exception {
        // Before anything else of Flink: our jar checks itself when this class is initialised.
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializer<Order> serializer =
                TypeInformation.of(Order.class).createSerializer(new SerializerConfigImpl());
        long sum = 0;
        for (int i = 0; i < RECORDS; i++) {
            out.clear();
            serializer.serialize(new Order(i), out);
            byte[] bytes = out.getCopyOfBuffer();
            Order read = serializer.deserialize(new DataInputDeserializer(bytes));
            sum += read.amount + read.discount;
            if (i < SLOW) {
                // The generated class comes from another thread.
                Thread.sleep(1);
            }
        }
        return sum;
    }

    private static long job() throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(2);
        long sum = 0;
        try (var results =
                environment
                        .fromSequence(0, RECORDS - 1)
                        .map(number -> pause(new Order(number.intValue())))
                        .returns(Order.class)
                        .rebalance()
                        .map(order -> (long) order.amount + order.discount)
                        .returns(Long.class)
                        .executeAndCollect()) {
            while (results.hasNext()) {
                sum += results.next();
            }
        }
        return sum;
    }

    private static Order pause(Order order) throws InterruptedException {
        if (order.amount < SLOW) {
            Thread.sleep(1);
        }
        return order;
    }
}
