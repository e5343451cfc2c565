// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;

/** How the value of a field gets to its bytes. */
public enum FieldKind {
    BOOLEAN(BooleanSerializer.class, boolean.class, Boolean.class, "Boolean", 1),
    BYTE(ByteSerializer.class, byte.class, Byte.class, "Byte", 1),
    SHORT(ShortSerializer.class, short.class, Short.class, "Short", 2),
    CHAR(CharSerializer.class, char.class, Character.class, "Char", 2),
    INT(IntSerializer.class, int.class, Integer.class, "Int", 4),
    LONG(LongSerializer.class, long.class, Long.class, "Long", 8),
    FLOAT(FloatSerializer.class, float.class, Float.class, "Float", 4),
    DOUBLE(DoubleSerializer.class, double.class, Double.class, "Double", 8),
    /** A string, by the static methods of {@code StringValue}. */
    STRING(StringSerializer.class, String.class, String.class, "String", 0),
    /** Whatever its serializer makes of it. */
    OTHER(null, null, null, null, 0);

    /** Without the copy that each call of {@code values()} makes. */
    private static final FieldKind[] ALL = values();

    private final Class<?> serializer;
    private final Class<?> plain;
    private final Class<?> box;
    private final String method;
    private final int bytes;

    FieldKind(Class<?> serializer, Class<?> plain, Class<?> box, String method, int bytes) {
        this.serializer = serializer;
        this.plain = plain;
        this.box = box;
        this.method = method;
        this.bytes = bytes;
    }

    /**
     * The kind of a field. Stock's own serializer of a primitive or of strings does nothing but
     * call the view; any other pair of type and serializer is {@link #OTHER}.
     */
    public static FieldKind of(Class<?> type, TypeSerializer<?> serializer) {
        FieldKind kind = of(serializer);
        return type == kind.plain || type == kind.box ? kind : OTHER;
    }

    /** The kind whose values that serializer takes. */
    static FieldKind of(TypeSerializer<?> serializer) {
        for (FieldKind kind : ALL) {
            if (kind.serializer == serializer.getClass()) {
                return kind;
            }
        }
        return OTHER;
    }

    /** The kind whose primitive this is; null for a reference. */
    public static FieldKind ofPrimitive(Class<?> type) {
        for (FieldKind kind : ALL) {
            if (kind.plain == type && type.isPrimitive()) {
                return kind;
            }
        }
        return null;
    }

    /** The primitive, or {@code String}. */
    public Class<?> plain() {
        return plain;
    }

    /** The primitive's box, or {@code String}. */
    public Class<?> box() {
        return box;
    }

    /** How many bytes the primitive takes; 0 where that is no fixed number. */
    public int bytes() {
        return bytes;
    }

    /** The view's method that writes the primitive. */
    public String writer() {
        return "write" + method;
    }

    /** The view's method that reads the primitive. */
    public String reader() {
        return "read" + method;
    }
}
