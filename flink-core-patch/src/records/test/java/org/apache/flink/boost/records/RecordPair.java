// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Stock's serializer of a class of records, and the generated access to the same. */
class RecordPair {

    final Class<?> type;
    final Field[] fields;
    final TypeSerializer<?>[] serializers;
    final TypeSerializer<Object> stock;

    /**
     * @param serializers one per declared field of the class, in their order
     */
    RecordPair(Class<?> type, TypeSerializer<?>... serializers) {
        this(type, declared(type), serializers);
    }

    RecordPair(Class<?> type, Field[] fields, TypeSerializer<?>... serializers) {
        this.type = type;
        this.fields = fields;
        this.serializers = serializers;
        this.stock = StockSerializers.pojo(type, fields, serializers);
    }

    static Field[] declared(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(each -> !each.isSynthetic())
                .toArray(Field[]::new);
    }

    /** Why the class goes stock's way; null when there is a generated access. */
    Reason reason() throws Exception {
        return Accesses.generated(type, fields, serializers)
                .outcome()
                .get(60, TimeUnit.SECONDS)
                .reason();
    }

    /** The generated access, once it is there. */
    RecordAccess access() throws Exception {
        assertThat(reason()).isNull();
        return Accesses.of(type, fields, serializers);
    }

    /** An object with these values in the fields, in their order. */
    Object make(Object... values) throws ReflectiveOperationException {
        Witness.reset();
        if (type.getSuperclass().getName().equals("java.lang.Record")) {
            // The declared fields of a record are its components.
            Class<?>[] types =
                    Arrays.stream(declared(type)).map(Field::getType).toArray(Class<?>[]::new);
            Object[] arguments = new Object[values.length];
            for (int i = 0; i < values.length; i++) {
                arguments[Arrays.asList(declared(type)).indexOf(fields[i])] = values[i];
            }
            return type.getDeclaredConstructor(types).newInstance(arguments);
        }
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object record = constructor.newInstance();
        for (int i = 0; i < values.length; i++) {
            fields[i].set(record, values[i]);
        }
        return record;
    }

    /** What stock writes for it. */
    byte[] bytes(Object record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        stock.serialize(record, out);
        return out.getCopyOfBuffer();
    }

    String stockCopy(Object record) {
        Witness.reset();
        return Outcome.of(() -> ObjectText.ofCopy(stock.copy(record), record));
    }

    String ourCopy(Object record) throws Exception {
        RecordAccess access = access();
        Witness.reset();
        return Outcome.of(() -> ObjectText.ofCopy(access.copy(record), record));
    }

    String stockWrite(Object record) {
        return written(out -> stock.serialize(record, out));
    }

    String ourWrite(Object record) throws Exception {
        RecordAccess access = access();
        return written(out -> assertThat(access.serialize(record, out)).isTrue());
    }

    String stockRead(byte[] bytes) {
        return read(bytes, stock::deserialize);
    }

    String ourRead(byte[] bytes) throws Exception {
        return read(bytes, access()::deserialize);
    }

    /** Holds ours to stock's in all that can be done with the record. */
    void assertSame(Object record) throws Exception {
        byte[] bytes = bytes(record);
        assertThat(ourCopy(record)).isEqualTo(stockCopy(record));
        assertThat(ourWrite(record)).isEqualTo(stockWrite(record));
        assertThat(ourRead(bytes)).isEqualTo(stockRead(bytes));
    }

    private interface Writing {
        void to(DataOutputSerializer out) throws IOException;
    }

    private interface Reading {
        Object from(DataInputDeserializer in) throws IOException;
    }

    private static String written(Writing writing) {
        Witness.reset();
        DataOutputSerializer out = new DataOutputSerializer(1);
        String outcome =
                Outcome.of(
                        () -> {
                            writing.to(out);
                            return "wrote";
                        });
        return outcome + " as " + Arrays.toString(out.getCopyOfBuffer());
    }

    private static String read(byte[] bytes, Reading reading) {
        Witness.reset();
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        String outcome = Outcome.of(() -> ObjectText.of(reading.from(in)));
        return outcome + " and left " + in.available();
    }
}
