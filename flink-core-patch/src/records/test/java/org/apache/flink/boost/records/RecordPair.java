// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.Reason;

/** Stock's serializer of a class of records, and the generated access to the same. */
class RecordPair extends AccessPair {

    final Class<?> type;
    final Field[] fields;
    final TypeSerializer<?>[] serializers;

    /**
     * @param serializers one per declared field of the class, in their order
     */
    RecordPair(Class<?> type, TypeSerializer<?>... serializers) {
        this(type, declared(type), serializers);
    }

    RecordPair(Class<?> type, Field[] fields, TypeSerializer<?>... serializers) {
        super(StockSerializers.pojo(type, fields, serializers));
        this.type = type;
        this.fields = fields;
        this.serializers = serializers;
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

    @Override
    RecordAccess access() throws Exception {
        assertThat(reason()).isNull();
        return Accesses.ofFields(type, fields, serializers);
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
}
