// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.guard.GuardFileSystemFactory;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Copies or reads the first record of a process in a full heap, or at the end of the stack, and
 * says what becomes of the next one.
 */
public final class FirstRecordProbe {

    private static final int MOST_PIECES = 10_000;

    /** Loaded and not initialised: a class that is not loaded takes more memory than objects do. */
    private static final String[] LOADED = {
        "RecordAccess", "RecordAccess$StockAccess", "Accesses", "patches.PojoSerializerPatch"
    };

    private FirstRecordProbe() {}

    /** A POJO. */
    public static class Part {
        public int a;
    }

    /**
     * @param arguments {@code stack}, or {@code kryo} or none for a full heap
     */
    public static void main(String[] arguments) throws Exception {
        System.out.println("= " + Families.RECORDS);
        if (arguments.length == 0) {
            copyInFullHeap();
        } else if (arguments[0].equals("kryo")) {
            readByKryoInFullHeap();
        } else {
            readAtTheEndOfTheStack();
        }
    }

    private static void readAtTheEndOfTheStack() throws Exception {
        new GuardFileSystemFactory().getScheme();
        TypeSerializer<Object> serializer = serializer();
        Accesses.generated(Part.class, fields(), serializers()).outcome().get();
        Part record = new Part();
        record.a = 7;
        serializer.copy(record);
        DataOutputSerializer out = new DataOutputSerializer(16);
        TypeSerializer<Object> stock = StockSerializers.pojo(Part.class, fields(), serializers());
        stock.serialize(record, out);
        byte[] bytes = out.getCopyOfBuffer();
        stock.deserialize(new DataInputDeserializer(bytes));
        Throwable[] end = {null};
        dive(() -> serializer.deserialize(new DataInputDeserializer(bytes)), end);
        System.out.println("= " + end[0].getClass());
        Object next = serializer.deserialize(new DataInputDeserializer(bytes));
        System.out.println("= " + ((Part) next).a);
    }

    /** Calls it at the end of the stack, and frame by frame further from there. */
    private static void dive(Callable<?> call, Throwable[] end) throws Exception {
        try {
            dive(call, end);
        } catch (StackOverflowError e) {
            end[0] = e;
            call.call();
        }
    }

    private static void copyInFullHeap() throws Exception {
        ClassLoader loader = FirstRecordProbe.class.getClassLoader();
        for (String name : LOADED) {
            Class.forName("org.apache.flink.boost.records." + name, false, loader);
        }
        TypeSerializer<Object> serializer = serializer();
        Part record = new Part();
        // What the JDK and stock need has been there before.
        TypeSerializer<Object> stock = StockSerializers.pojo(Part.class, fields(), serializers());
        for (int i = 0; i < 100; i++) {
            stock.copy(record);
        }
        System.out.println("= " + firstInFullHeap(0, () -> serializer.copy(record)));
        record.a = 7;
        System.out.println("= " + ((Part) serializer().copy(record)).a);
    }

    private static void readByKryoInFullHeap() throws Exception {
        Part record = new Part();
        record.a = 7;
        TypeSerializer<Object> serializer = kryo();
        DataOutputSerializer out = new DataOutputSerializer(16);
        // Makes the serializer's Kryo.
        serializer.serialize(record, out);
        byte[] bytes = out.getCopyOfBuffer();
        TypeSerializer<Object> stock =
                StockSerializers.kryo(Object.class, new SerializerConfigImpl());
        for (int i = 0; i < 100; i++) {
            stock.deserialize(new DataInputDeserializer(bytes));
        }
        DataInputDeserializer view = new DataInputDeserializer();
        Callable<?> read =
                () -> {
                    view.setBuffer(bytes);
                    return serializer.deserialize(view);
                };
        System.out.println("= " + firstInFullHeap(512, read));
        Object next = kryo().deserialize(new DataInputDeserializer(bytes));
        System.out.println("= " + ((Part) next).a);
    }

    private static TypeSerializer<Object> kryo() {
        return new KryoSerializer<>(Object.class, new SerializerConfigImpl());
    }

    private static TypeSerializer<Object> serializer() throws NoSuchFieldException {
        return StockSerializers.ourPojo(Part.class, fields(), serializers());
    }

    private static Field[] fields() throws NoSuchFieldException {
        return new Field[] {Part.class.getField("a")};
    }

    private static TypeSerializer<?>[] serializers() {
        return new TypeSerializer<?>[] {IntSerializer.INSTANCE};
    }

    /** Gives memory back piece by piece, until there is enough for a call. */
    private static Class<?> firstInFullHeap(int size, Callable<?> call) throws Exception {
        byte[][] pieces = new byte[MOST_PIECES][size];
        Object rest = fill();
        Throwable end = null;
        for (int i = 0; i < pieces.length; i++) {
            try {
                call.call();
                break;
            } catch (OutOfMemoryError e) {
                end = e;
                pieces[i] = null;
            } catch (RuntimeException e) {
                // Flink 2.1 and 2.2 wrap whatever ends the making of an object.
                if (!(e.getCause() instanceof OutOfMemoryError)) {
                    throw e;
                }
                end = e.getCause();
                pieces[i] = null;
            }
        }
        return rest == null || end == null ? null : end.getClass();
    }

    private static Object fill() {
        // Its class is loaded while there is room.
        Object chain = new Link(null);
        for (int length = 1 << 18; length > 0; length >>= 1) {
            try {
                while (true) {
                    Object[] more = new Object[length];
                    more[0] = chain;
                    chain = more;
                }
            } catch (OutOfMemoryError full) {
                // Smaller ones may find a place.
            }
        }
        try {
            while (true) {
                chain = new Link(chain);
            }
        } catch (OutOfMemoryError full) {
            return chain;
        }
    }

    /** As small as a record; an array is larger. */
    private static final class Link {

        final Object next;

        Link(Object next) {
            this.next = next;
        }
    }
}
