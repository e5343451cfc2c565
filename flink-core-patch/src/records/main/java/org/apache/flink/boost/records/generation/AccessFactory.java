// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import java.lang.reflect.Constructor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.ColumnAccess;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.shapes.ColumnShape;
import org.apache.flink.boost.records.shapes.RecordShape;

/** Makes the access of each serializer that has one shape, all of one generated class. */
public final class AccessFactory {

    private final Constructor<?> constructor;

    private AccessFactory(Class<?> host, byte[] bytes) throws ReflectiveOperationException {
        Class<?> generated = HiddenClasses.define(host, bytes);
        constructor = generated.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
    }

    /**
     * Of POJOs or Java records.
     *
     * @param initialises whether stock sets the fields of a new object before it reads them
     * @throws ReflectiveOperationException when the JVM does not let us define the class
     */
    public static AccessFactory ofFields(RecordShape shape, boolean initialises)
            throws ReflectiveOperationException {
        return new AccessFactory(shape.type(), FieldCode.generate(shape, initialises));
    }

    /**
     * Of tuples.
     *
     * @param type {@code Tuple1} to {@code Tuple25}
     * @throws ReflectiveOperationException when the JVM does not let us define the class
     */
    public static AccessFactory ofTuple(Class<?> type, TypeSerializer<?>[] serializers)
            throws ReflectiveOperationException {
        byte[] bytes = TupleCode.generate(type, ColumnShape.of(serializers));
        return new AccessFactory(ColumnAccess.class, bytes);
    }

    /**
     * Of rows with at most 62 fields.
     *
     * @param hasKind whether a row's kind is written with it
     * @throws ReflectiveOperationException when the JVM does not let us define the class
     */
    public static AccessFactory ofRow(TypeSerializer<?>[] serializers, boolean hasKind)
            throws ReflectiveOperationException {
        byte[] bytes = RowCode.generate(ColumnShape.of(serializers), hasKind);
        return new AccessFactory(ColumnAccess.class, bytes);
    }

    /**
     * The access of one serializer.
     *
     * @param rest what the constructor of the access's superclass takes
     * @throws ReflectiveOperationException when the class cannot be instantiated
     */
    public RecordAccess access(TypeSerializer<?>[] serializers, Object... rest)
            throws ReflectiveOperationException {
        Object[] all = new Object[rest.length + 1];
        all[0] = serializers;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return (RecordAccess) constructor.newInstance(all);
    }
}
