// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.boost.records.Accesses;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.slf4j.Logger;

/** A woven serializer whose access is checked, and what is said of it. */
final class CheckedSerializer {

    /** What is counted, and each line of the log, with its level. */
    static final class Log {

        final List<String> lines = new ArrayList<>();

        /** What another thread does before a line is made of its parts. */
        Runnable meanwhile = () -> {};

        final CheckedClasses classes =
                new CheckedClasses(
                        (Logger)
                                Proxy.newProxyInstance(
                                        Logger.class.getClassLoader(),
                                        new Class<?>[] {Logger.class},
                                        (proxy, method, arguments) -> {
                                            meanwhile.run();
                                            lines.add(
                                                    method.getName()
                                                            + Arrays.deepToString(arguments));
                                            return null;
                                        }));

        /** What the property says of these classes. */
        String published() {
            return String.join("\n", classes.getChecked());
        }
    }

    /** Generated code that a test spoils; by itself it does as it is to. */
    static class Spoiled extends RecordAccess {

        final RecordAccess right;
        int calls;

        Spoiled(RecordAccess right) {
            this.right = right;
        }

        @Override
        public Object copy(Object from) {
            calls++;
            return right.copy(from);
        }

        @Override
        public boolean serialize(Object value, DataOutputView out) throws IOException {
            calls++;
            return right.serialize(value, out);
        }

        @Override
        public Object deserialize(DataInputView in) throws IOException {
            calls++;
            return right.deserialize(in);
        }
    }

    private CheckedSerializer() {}

    static TypeSerializer<?>[] ofOrder(TypeSerializer<?> customers) {
        return new TypeSerializer<?>[] {
            IntSerializer.INSTANCE,
            customers,
            IntSerializer.INSTANCE,
            new ListSerializer<>(StringSerializer.INSTANCE),
            new MapSerializer<>(StringSerializer.INSTANCE, IntSerializer.INSTANCE)
        };
    }

    /** Flink's serializer of orders, as it is in this jar. */
    static TypeSerializer<Object> orders() {
        return pojos(Order.class, ofOrder(customers()));
    }

    static TypeSerializer<Object> customers() {
        return pojos(Order.Customer.class, LongSerializer.INSTANCE, StringSerializer.INSTANCE);
    }

    @SuppressWarnings("unchecked")
    static TypeSerializer<Object> pojos(Class<?> type, TypeSerializer<?>... serializers) {
        Field[] fields = type.getFields();
        Arrays.sort(fields, (one, other) -> one.getName().compareTo(other.getName()));
        return (TypeSerializer<Object>)
                new PojoSerializer<>(type, serializers, fields, new SerializerConfigImpl());
    }

    /** The generated access of a serializer, once it is there. */
    static RecordAccess generated(TypeSerializer<?> serializer) throws InterruptedException {
        RecordAccess.Holder holder = holder(serializer);
        RecordAccess access = holder.boostFind();
        while (access.isPreliminary()) {
            Thread.sleep(1);
            access = holder.boostFind();
        }
        if (access == RecordAccess.STOCK) {
            throw new AssertionError("There is no generated access for " + serializer);
        }
        return access;
    }

    /** That of orders whose two numbers are mixed up. */
    static RecordAccess mixedUp() throws InterruptedException, NoSuchFieldException {
        String[] names = {"discount", "customer", "amount", "items", "tags"};
        Field[] fields = new Field[names.length];
        for (int i = 0; i < names.length; i++) {
            fields[i] = Order.class.getField(names[i]);
        }
        TypeSerializer<?>[] serializers = ofOrder(customers());
        RecordAccess access = Accesses.ofFields(Order.class, fields, serializers);
        while (access.isPreliminary()) {
            Thread.sleep(1);
            access = Accesses.ofFields(Order.class, fields, serializers);
        }
        return access;
    }

    static RecordAccess.Holder holder(TypeSerializer<?> serializer) {
        return (RecordAccess.Holder) (Object) serializer;
    }

    /** Lets a serializer work by that access, and checks it. */
    static void check(TypeSerializer<Object> serializer, RecordAccess access, Log log) {
        RecordAccess.Holder holder = holder(serializer);
        holder.boostAccess(
                new CheckedAccess(access, serializer, holder.boostLayout(), log.classes));
    }

    static byte[] bytes(TypeSerializer<Object> serializer, Object record) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1);
        serializer.serialize(record, out);
        return out.getCopyOfBuffer();
    }

    static byte[] bytesOfStock(TypeSerializer<Object> serializer, Object record) {
        return Written.byStock(serializer, record).bytes();
    }

    /** Reads the one record. */
    static Object read(TypeSerializer<Object> serializer, byte[] bytes) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        Object record = serializer.deserialize(in);
        if (in.available() > 0) {
            throw new AssertionError("It left " + in.available());
        }
        return record;
    }
}
