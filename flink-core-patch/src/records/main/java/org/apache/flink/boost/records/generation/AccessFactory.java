// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.StockManner;
import org.apache.flink.boost.records.shapes.RecordShape;

/** Makes the access of each serializer that has one shape, all of one generated class. */
public final class AccessFactory {

    private final Constructor<?> access;
    private final Constructor<?> record;
    private final StockManner manner;

    private AccessFactory(Constructor<?> access, Constructor<?> record, StockManner manner) {
        this.access = access;
        this.record = record;
        this.manner = manner;
    }

    /** Whether this JVM can have generated classes beside those of a job. */
    public static boolean isSupported() {
        return HiddenClasses.isSupported();
    }

    /**
     * Generates the class.
     *
     * @throws ReflectiveOperationException when the JVM does not let us define it
     */
    public static AccessFactory of(RecordShape shape, StockManner manner)
            throws ReflectiveOperationException {
        byte[] bytes = AccessGenerator.generate(shape, manner.initialises());
        Class<?> generated = HiddenClasses.define(shape.type(), bytes);
        Constructor<?> access = generated.getDeclaredConstructors()[0];
        access.setAccessible(true);
        return new AccessFactory(access, shape.constructor(), manner);
    }

    /**
     * The access of one serializer.
     *
     * @throws ReflectiveOperationException when the class cannot be instantiated
     */
    public RecordAccess access(Field[] fields, TypeSerializer<?>[] serializers)
            throws ReflectiveOperationException {
        return (RecordAccess) access.newInstance(fields, serializers, record, manner);
    }
}
