// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Finds the access of a serializer. Classes are generated once per shape and kept at the record's own
 * class, so that they go with its class loader; nothing else here knows a class of a job.
 */
public final class Accesses {

    /** Shapes of one class; a restored serializer may have its fields in another order. */
    private static final int MOST_SHAPES = 16;

    private static final ClassValue<Map<String, GeneratedAccess>> SHAPES =
            new ClassValue<>() {
                @Override
                protected Map<String, GeneratedAccess> computeValue(Class<?> type) {
                    return new ConcurrentHashMap<>();
                }
            };

    private Accesses() {}

    /**
     * The access for records of {@code type}. While the class is being generated it is stock's, and
     * says so by {@link RecordAccess#isPreliminary}: whoever keeps it asks again.
     *
     * @param fields the serializer's; null for one that the class has no longer
     */
    public static RecordAccess of(Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        return generated(type, fields, serializers).access(fields, serializers);
    }

    /** The same, before it is generated. */
    static GeneratedAccess generated(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        Map<String, GeneratedAccess> shapes = SHAPES.get(type);
        String key = key(fields, serializers);
        GeneratedAccess known = shapes.get(key);
        if (known != null) {
            return known;
        }
        if (shapes.size() >= MOST_SHAPES) {
            return GeneratedAccess.TOO_MANY;
        }
        GeneratedAccess added = new GeneratedAccess();
        GeneratedAccess other = shapes.putIfAbsent(key, added);
        if (other != null) {
            return other;
        }
        added.generate(type, fields.clone(), serializers.clone());
        return added;
    }

    /** Names alone: a serializer's class may be of another loader than the record's. */
    private static String key(Field[] fields, TypeSerializer<?>[] serializers) {
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] != null) {
                key.append(fields[i].getDeclaringClass().getName());
                key.append('.').append(fields[i].getName());
            }
            key.append(':').append(serializers[i].getClass().getName()).append('\n');
        }
        return key.toString();
    }
}
