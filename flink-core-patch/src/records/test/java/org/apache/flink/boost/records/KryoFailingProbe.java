// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.core.memory.DataInputDeserializer;

/** Checks what fails: by our input alone, and by both after bytes that stock takes too early. */
public final class KryoFailingProbe {

    private KryoFailingProbe() {}

    /** Cannot be read by ours. */
    @DefaultSerializer(PickySerializer.class)
    static final class Picky {}

    /** Reads nothing, and that from stock's input only. */
    public static final class PickySerializer extends InputSerializer<Picky> {

        @Override
        public void write(Kryo kryo, Output output, Picky picky) {
            // It has nothing.
        }

        @Override
        Picky read(Kryo kryo, Input input) {
            if (input.getClass() == LookAheadInput.class) {
                throw new IllegalStateException("not stock's");
            }
            return new Picky();
        }
    }

    /** Fails with bytes in stock's buffer, which are of what comes behind the record. */
    static final class Failing {
        int[] before = {1};
        Broken then = new Broken();
    }

    /** Cannot be read. */
    @DefaultSerializer(BrokenSerializer.class)
    static final class Broken {}

    /** Fails when it reads. */
    public static final class BrokenSerializer extends InputSerializer<Broken> {

        @Override
        public void write(Kryo kryo, Output output, Broken broken) {
            // It has nothing.
        }

        @Override
        Broken read(Kryo kryo, Input input) {
            throw new IllegalStateException("broken");
        }
    }

    /** Runs it; without arguments. */
    public static void main(String[] arguments) throws Exception {
        KryoPair picky = new KryoPair(Picky.class);
        byte[] one = picky.bytes(new Picky());
        for (int i = 0; i < 2; i++) {
            DataInputDeserializer in = new DataInputDeserializer(one);
            boolean read = picky.ours.deserialize(in) instanceof Picky;
            System.out.println("= " + read + " " + in.available());
        }
        KryoPair failing = new KryoPair(Failing.class);
        byte[] record = failing.bytes(new Failing());
        byte[] bytes = new byte[record.length + 20];
        System.arraycopy(record, 0, bytes, 0, record.length);
        String stocks = outcome(failing.stock::deserialize, bytes);
        String ours = outcome(failing.ours::deserialize, bytes);
        System.out.println("= " + (ours.equals(stocks) ? "as by stock" : ours));
        Object differing =
                ManagementFactory.getPlatformMBeanServer()
                        .getAttribute(
                                new ObjectName("org.apache.flink.boost:type=Records"), "Differing");
        System.out.println("= differing " + differing);
    }

    private static String outcome(KryoPair.Reading reading, byte[] bytes) {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        return Outcome.of(() -> String.valueOf(reading.read(in))) + " left " + in.available();
    }
}
