// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.io.Input;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.kryo.KryoInsides;
import org.apache.flink.boost.records.kryo.KryoReader;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Stock's serializer of Kryo, and a second one that reads as a woven one does. */
final class KryoPair {

    final TypeSerializer<Object> stock;
    final Woven ours;

    KryoPair(Class<?> type) {
        this(type, new SerializerConfigImpl());
    }

    KryoPair(Class<?> type, SerializerConfig config) {
        stock = stock(type, config);
        ours = new Woven(stock(type, config));
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> stock(Class<?> type, SerializerConfig config) {
        try {
            Constructor<?> constructor =
                    StockSerializers.stock(KryoSerializer.class)
                            .getConstructor(Class.class, SerializerConfig.class);
            return (TypeSerializer<Object>) constructor.newInstance(type, config);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A serializer cannot be made.", e);
        }
    }

    byte[] bytes(Object record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        stock.serialize(record, out);
        return out.getCopyOfBuffer();
    }

    /** Reads a record. */
    interface Reading {
        Object read(DataInputView source) throws IOException;
    }

    /** What weaving makes of a serializer: its own fields, and one more. */
    static final class Woven implements KryoInsides {

        private final TypeSerializer<Object> serializer;
        private final Field input;
        private final Field previous;
        private LookAheadInput lookAhead;

        /** Records that were begun by us. */
        int begun;

        private Woven(TypeSerializer<Object> serializer) {
            this.serializer = serializer;
            try {
                input = serializer.getClass().getDeclaredField("input");
                previous = serializer.getClass().getDeclaredField("previousIn");
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException("Stock has no such field.", e);
            }
            input.setAccessible(true);
            previous.setAccessible(true);
        }

        Object deserialize(DataInputView source) throws IOException {
            Object read = KryoReader.read(this, source);
            return read == HandOver.TO_STOCK ? serializer.deserialize(source) : read;
        }

        @Override
        public Object boostDeserialize(DataInputView source) throws IOException {
            begun++;
            return deserialize(source);
        }

        @Override
        public Input boostInput() {
            return (Input) get(input);
        }

        @Override
        public void boostInput(Input value) {
            set(input, value);
        }

        @Override
        public DataInputView boostPrevious() {
            return (DataInputView) get(previous);
        }

        @Override
        public void boostPrevious(DataInputView value) {
            set(previous, value);
        }

        @Override
        public LookAheadInput boostLookAhead() {
            return lookAhead;
        }

        @Override
        public void boostLookAhead(LookAheadInput value) {
            lookAhead = value;
        }

        private Object get(Field field) {
            try {
                return field.get(serializer);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        private void set(Field field, Object value) {
            try {
                field.set(serializer, value);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
