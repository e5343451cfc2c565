// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.types.Row;

/** The fields of one serializer's records: what they are called, and where stock writes them. */
public abstract class RecordLayout {

    /** A name is for the log. */
    private static final int LONGEST_NAME = 200;

    private final String name;
    private final TypeSerializer<?>[] serializers;

    private RecordLayout(String name, TypeSerializer<?>[] serializers) {
        this.name = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME) + "…";
        this.serializers = serializers;
    }

    /** Of POJOs and Java records: a byte of flags, then each field behind whether it is null. */
    public static RecordLayout ofFields(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        return new RecordLayout(type.getName(), serializers) {
            @Override
            boolean isThere(int field, byte[] bytes, DataInputDeserializer in) throws IOException {
                return !in.readBoolean();
            }

            @Override
            int head() {
                return 1;
            }

            @Override
            String nameOf(int field) {
                return fields[field].getName();
            }

            @Override
            Object get(Object record, int field) throws IllegalAccessException {
                return fields[field].getType().isPrimitive() ? null : fields[field].get(record);
            }
        };
    }

    /** Of tuples: each field. */
    public static RecordLayout ofTuple(Class<?> type, TypeSerializer<?>[] serializers) {
        return new RecordLayout(type.getName() + names(serializers), serializers) {
            @Override
            boolean isThere(int field, byte[] bytes, DataInputDeserializer in) {
                return true;
            }

            @Override
            int head() {
                return 0;
            }

            @Override
            Object get(Object record, int field) {
                return ((Tuple) record).getField(field);
            }
        };
    }

    /**
     * Of rows: a bit for each field that is null, then the others.
     *
     * @param hasKind whether two bits of the row's kind are before these
     */
    public static RecordLayout ofRow(TypeSerializer<?>[] serializers, boolean hasKind) {
        int kindBits = hasKind ? 2 : 0;
        return new RecordLayout(Row.class.getName() + names(serializers), serializers) {
            @Override
            boolean isThere(int field, byte[] bytes, DataInputDeserializer in) {
                int bit = kindBits + field;
                return (bytes[bit / 8] & 0x80 >> bit % 8) == 0;
            }

            @Override
            int head() {
                return (kindBits + serializers.length + 7) / 8;
            }

            @Override
            Object get(Object record, int field) {
                return ((Row) record).getField(field);
            }
        };
    }

    /** Of what Kryo reads: nothing is known of its fields. */
    public static RecordLayout ofKryo(Class<?> type) {
        return new RecordLayout(type.getName() + " (Kryo)", new TypeSerializer<?>[0]) {
            @Override
            boolean isThere(int field, byte[] bytes, DataInputDeserializer in) {
                throw new IllegalStateException("It has no fields.");
            }

            @Override
            int head() {
                return 0;
            }

            @Override
            Object get(Object record, int field) {
                throw new IllegalStateException("It has no fields.");
            }
        };
    }

    /** A tuple's or row's class tells nothing of its fields. */
    private static String names(TypeSerializer<?>[] serializers) {
        StringBuilder names = new StringBuilder(" (");
        for (TypeSerializer<?> each : serializers) {
            names.append(names.length() == 2 ? "" : ", ").append(each.getClass().getSimpleName());
        }
        return names.append(')').toString();
    }

    /** How many bytes are before the fields. */
    abstract int head();

    /** Whether the bytes of a field follow; reads what stands before them. */
    abstract boolean isThere(int field, byte[] bytes, DataInputDeserializer in) throws IOException;

    /** A field's value; null for one that cannot be shared. */
    abstract Object get(Object record, int field) throws IllegalAccessException;

    String nameOf(int field) {
        return "f" + field;
    }

    /** Of the records, for people. */
    String name() {
        return name;
    }

    /** The field that an index in stock's bytes is of; null where that cannot be told. */
    String fieldAt(byte[] bytes, int index) {
        if (index < head()) {
            return null;
        }
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        try {
            return StockRun.of(
                    () -> {
                        in.skipBytesToRead(head());
                        for (int i = 0; i < serializers.length; i++) {
                            if (isThere(i, bytes, in)) {
                                serializers[i].deserialize(in);
                            }
                            if (bytes.length - in.available() > index) {
                                return nameOf(i);
                            }
                        }
                        return null;
                    });
        } catch (Exception | LinkageError e) {
            return null;
        }
    }

    /**
     * A field whose object our copy has in common with the original and stock's has not; null where
     * there is none.
     */
    String sharedField(Object original, Object ours, Object stocks) {
        try {
            for (int i = 0; i < serializers.length; i++) {
                Object value = get(original, i);
                if (value != null && get(ours, i) == value && get(stocks, i) != value) {
                    return nameOf(i);
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Stock made this field accessible.", e);
        }
        return null;
    }
}
