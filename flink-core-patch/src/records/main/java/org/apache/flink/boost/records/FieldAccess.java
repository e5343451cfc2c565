// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.FieldKind;

/** What generated code of POJOs and Java records asks for, where something is not usual. */
public abstract class FieldAccess extends RecordAccess {

    /** Stands in the place of a value that the field would take. */
    private static final Object TAKEN = new Object();

    private final Field[] fields;
    private final TypeSerializer<?>[] serializers;
    private final Constructor<?> constructor;
    private final StockManner manner;

    /** The fields whose values stock of some releases creates and replaces. */
    private final int[] created;

    /**
     * @param fields the serializer's, made accessible
     * @param serializers the serializer's, one per field
     * @param constructor which the record is made by, accessible
     * @param manner how stock makes an object
     */
    protected FieldAccess(
            Field[] fields,
            TypeSerializer<?>[] serializers,
            Constructor<?> constructor,
            StockManner manner) {
        this.fields = fields;
        this.serializers = serializers;
        this.constructor = constructor;
        this.manner = manner;
        int[] others = new int[fields.length];
        int count = 0;
        for (int i = 0; i < fields.length; i++) {
            if (FieldKind.of(fields[i].getType(), serializers[i]) == FieldKind.OTHER) {
                others[count++] = i;
            }
        }
        this.created = Arrays.copyOf(others, count);
    }

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
            for (int i : created) {
                set(i, target, serializers[i].createInstance());
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
}
