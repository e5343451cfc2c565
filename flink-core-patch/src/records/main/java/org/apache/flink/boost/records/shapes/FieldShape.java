// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** One field of a record, as far as the code that moves it depends on it. */
public final class FieldShape {

    private final int index;
    private final Class<?> record;
    private final Field field;
    private final boolean isByHandle;
    private final FieldKind kind;

    /**
     * @param record the class of the records
     * @param isByHandle whether code of a nestmate of that class cannot touch the field
     */
    FieldShape(
            int index,
            Class<?> record,
            Field field,
            boolean isByHandle,
            TypeSerializer<?> serializer) {
        this.index = index;
        this.record = record;
        this.field = field;
        this.isByHandle = isByHandle;
        this.kind = FieldKind.of(field.getType(), serializer);
    }

    /** The place among the serializer's fields, which is the place in the bytes. */
    public int index() {
        return index;
    }

    public String name() {
        return field.getName();
    }

    /** The class that declares the field. */
    public Class<?> owner() {
        return field.getDeclaringClass();
    }

    /** The declared type, erased. */
    public Class<?> type() {
        return field.getType();
    }

    public FieldKind kind() {
        return kind;
    }

    /** The class of the records, which declares the field or inherits it. */
    public Class<?> record() {
        return record;
    }

    /** Whether it is moved by its {@link #handle}. */
    public boolean isByHandle() {
        return isByHandle;
    }

    /** Whether threads that share a record see each other's values of the field. */
    public boolean isVolatile() {
        return Modifier.isVolatile(field.getModifiers());
    }

    /**
     * Gets and sets the field. A method handle would do, too, but the JVM generates a class for
     * each that is called often; for these it has the code.
     *
     * @throws IllegalAccessException when its class is in a module that does not let us
     */
    VarHandle handle() throws IllegalAccessException {
        return MethodHandles.privateLookupIn(owner(), MethodHandles.lookup())
                .unreflectVarHandle(field);
    }

    /** Whether the field cannot be null. */
    public boolean isPrimitive() {
        return type().isPrimitive();
    }

    /** Whether it cannot be null and takes a fixed number of bytes. */
    boolean isFixed() {
        return isPrimitive() && kind.bytes() > 0;
    }

    /** How many local variables the value takes. */
    public int slots() {
        return type() == long.class || type() == double.class ? 2 : 1;
    }

    /**
     * Whether a value that was read may be one that the field does not take: a null for a
     * primitive, or what somebody's serializer returns.
     */
    public boolean mayBeRefused() {
        return isPrimitive() || kind == FieldKind.OTHER && type() != Object.class;
    }
}
