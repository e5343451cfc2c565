// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Moves the records of one serializer. A generated subclass does so without reflection; what it
 * cannot do as stock's body would, it asks of the methods here, or hands over.
 */
public abstract class RecordAccess {

    /** Returned where stock's body is to run; nothing has been read or made yet. */
    public static final Object TO_STOCK = new Object();

    /** Leaves everything to stock's body. */
    public static final RecordAccess STOCK = new StockAccess();

    /** Leaves everything to stock's body until a class has been generated. */
    public static final RecordAccess NOT_YET = new StockAccess();

    /** Stands in the place of a value that the field would take. */
    private static final Object TAKEN = new Object();

    private final Field[] fields;
    private final TypeSerializer<?>[] serializers;
    private final Constructor<?> constructor;
    private final StockManner manner;

    /**
     * @param fields the serializer's, made accessible
     * @param serializers the serializer's, one per field
     * @param constructor which the record is made by, accessible
     * @param manner how stock makes an object
     */
    protected RecordAccess(
            Field[] fields,
            TypeSerializer<?>[] serializers,
            Constructor<?> constructor,
            StockManner manner) {
        this.fields = fields;
        this.serializers = serializers;
        this.constructor = constructor;
        this.manner = manner;
    }

    /** Whether another access may have come to stand in the place of this one. */
    public final boolean isPreliminary() {
        return this == NOT_YET;
    }

    /** A deep copy, or {@link #TO_STOCK}. */
    public abstract Object copy(Object from);

    /** Writes a record; false when nothing was written and stock is to do it. */
    public abstract boolean serialize(Object value, DataOutputView out) throws IOException;

    /** Reads a record whose flags, the next byte, say that it is of just this class. */
    public abstract Object deserialize(DataInputView in) throws IOException;

    /** Sets a field as stock does, with stock's exception for what the field does not take. */
    protected final void set(int field, Object target, Object value) {
        try {
            fields[field].set(target, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Stock made this field accessible.", e);
        }
    }

    /**
     * Sets the fields of a new object as stock of some releases does before it reads them. Those of
     * plain kinds are left out: nobody sees a constant that is replaced at once.
     */
    protected final void initialise(Object target) {
        try {
            for (int i = 0; i < fields.length; i++) {
                if (FieldKind.of(fields[i].getType(), serializers[i]) == FieldKind.OTHER) {
                    set(i, target, serializers[i].createInstance());
                }
            }
        } catch (Exception e) {
            throw manner.notInitialised(e);
        }
    }

    /** What stock throws where the constructor of a POJO fails in a copy. */
    protected final RuntimeException failedCopy(Throwable thrown) {
        return manner.failedCopy(thrown);
    }

    /** What stock throws where the constructor of a POJO fails in reading. */
    protected final RuntimeException failedRead(Throwable thrown) {
        return manner.failedRead(thrown);
    }

    /** What stock throws where the constructor of a Java record fails. */
    protected final RuntimeException failedRecord(Throwable thrown) {
        return notInstantiated(new InvocationTargetException(thrown));
    }

    /**
     * Notes a value that a component cannot take. Stock finds that out when all are read.
     *
     * @param refused what has been noted before; null at first
     */
    protected final Object[] refuse(Object[] refused, int component, Object value) {
        Object[] all = refused;
        if (all == null) {
            all = new Object[fields.length];
            Arrays.fill(all, TAKEN);
        }
        all[component] = value;
        return all;
    }

    /** Makes a Java record as stock does, of values some of which its components may not take. */
    protected final Object instantiate(Object[] values, Object[] refused) {
        for (int i = 0; i < values.length; i++) {
            if (refused[i] != TAKEN) {
                values[i] = refused[i];
            }
        }
        try {
            return constructor.newInstance(values);
        } catch (Exception e) {
            throw notInstantiated(e);
        }
    }

    private static RuntimeException notInstantiated(Exception cause) {
        return new RuntimeException("Could not instantiate record", cause);
    }

    private static final class StockAccess extends RecordAccess {

        StockAccess() {
            super(null, null, null, null);
        }

        @Override
        public Object copy(Object from) {
            return TO_STOCK;
        }

        @Override
        public boolean serialize(Object value, DataOutputView out) {
            return false;
        }

        @Override
        public Object deserialize(DataInputView in) {
            return TO_STOCK;
        }
    }
}
