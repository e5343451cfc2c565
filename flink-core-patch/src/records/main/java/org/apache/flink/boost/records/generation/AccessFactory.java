// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.ColumnAccess;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.shapes.ColumnShape;
import org.apache.flink.boost.records.shapes.RecordShape;

/** Makes the access of each serializer that has one shape, all of one generated class. */
public final class AccessFactory {

    private final Constructor<?> constructor;

    private AccessFactory(Class<?> host, byte[] bytes, List<?> data)
            throws ReflectiveOperationException {
        Class<?> generated = HiddenClasses.define(host, bytes, data);
        if (!data.isEmpty()) {
            linkHandles(generated);
        }
        constructor = generated.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
    }

    /**
     * Links the methods that get or set a field by its handle. Without, the first record would find
     * out whether that works, when some of its bytes are written.
     */
    private static void linkHandles(Class<?> generated) throws ReflectiveOperationException {
        for (Method method : generated.getDeclaredMethods()) {
            if (Modifier.isStatic(method.getModifiers())) {
                link(method);
            }
        }
    }

    private static void link(Method method) throws ReflectiveOperationException {
        method.setAccessible(true);
        Object[] none = new Object[method.getParameterCount()];
        for (int i = 1; i < none.length; i++) {
            none[i] = Array.get(Array.newInstance(method.getParameterTypes()[i], 1), 0);
        }
        try {
            method.invoke(null, none);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof NullPointerException) {
                // There is no record.
                return;
            }
            throw e;
        }
        throw new IllegalStateException(method + " takes no record for one.");
    }

    /**
     * Of POJOs or Java records.
     *
     * @param initialises whether stock sets the fields of a new object before it reads them
     * @throws ReflectiveOperationException when the JVM does not let us define the class
     */
    public static AccessFactory ofFields(RecordShape shape, boolean initialises)
            throws ReflectiveOperationException {
        byte[] bytes = FieldCode.generate(shape, initialises);
        return new AccessFactory(shape.type(), bytes, shape.handles());
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
        return new AccessFactory(ColumnAccess.class, bytes, List.of());
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
        return new AccessFactory(ColumnAccess.class, bytes, List.of());
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
