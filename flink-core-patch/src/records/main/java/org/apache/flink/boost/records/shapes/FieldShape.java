// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.lang.reflect.Field;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** One field of a record, as far as the code that moves it depends on it. */
public final class FieldShape {

    private final int index;
    private final Field field;
    private final FieldKind kind;

    FieldShape(int index, Field field, TypeSerializer<?> serializer) {
        this.index = index;
        this.field = field;
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
