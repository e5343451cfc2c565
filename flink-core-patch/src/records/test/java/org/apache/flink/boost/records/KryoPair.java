// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.kryo.KryoInsides;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Stock's serializer by Kryo, and the woven one of this jar. */
final class KryoPair {

    final TypeSerializer<Object> stock;
    final TypeSerializer<Object> ours;

    KryoPair(Class<?> type) {
        this(type, new SerializerConfigImpl());
    }

    KryoPair(Class<?> type, SerializerConfig config) {
        this(StockSerializers.kryo(type, config), object(new KryoSerializer<>(type, config)));
    }

    private KryoPair(TypeSerializer<Object> stock, TypeSerializer<Object> ours) {
        this.stock = stock;
        this.ours = ours;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> object(TypeSerializer<?> serializer) {
        return (TypeSerializer<Object>) serializer;
    }

    /** A pair of duplicates. */
    KryoPair duplicate() {
        return new KryoPair(stock.duplicate(), ours.duplicate());
    }

    /** What our code sees of ours. */
    KryoInsides insides() {
        return (KryoInsides) (Object) ours;
    }

    /** What stock writes for a record. */
    byte[] bytes(Object record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        stock.serialize(record, out);
        return out.getCopyOfBuffer();
    }

    /** Reads a record. */
    interface Reading {
        Object read(DataInputView source) throws IOException;
    }
}
