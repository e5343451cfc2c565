// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.util.Arrays;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.kryo.KryoInsides;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Reads by Kryo, by ours and in a run of stock's in turn, and tells by which input. */
public final class KryoCheckProbe {

    private KryoCheckProbe() {}

    /** Runs it; without arguments. */
    public static void main(String[] arguments) throws Exception {
        KryoSerializer<String[]> serializer =
                new KryoSerializer<>(String[].class, new SerializerConfigImpl());
        String[] record = {"one", null, "three"};
        DataOutputSerializer out = new DataOutputSerializer(16);
        serializer.serialize(record, out);
        byte[] one = out.getCopyOfBuffer();
        serializer.serialize(record, out);
        serializer.serialize(record, out);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        DataInputDeserializer other = new DataInputDeserializer(one);

        tell(serializer, serializer.deserialize(in));
        tell(serializer, StockRun.of(() -> serializer.deserialize(other)));
        tell(serializer, serializer.deserialize(in));
        tell(serializer, StockRun.of(() -> serializer.deserialize(in)));
        System.out.println("= left " + in.available());
    }

    private static void tell(KryoSerializer<String[]> serializer, String[] read) {
        KryoInsides insides = (KryoInsides) (Object) serializer;
        String by = insides.boostInput().getClass().getSimpleName();
        System.out.println("= " + Arrays.toString(read) + " by " + by);
    }
}
