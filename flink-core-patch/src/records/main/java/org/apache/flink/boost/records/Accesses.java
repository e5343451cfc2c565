// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.boost.records.generation.AccessFactory;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.boost.records.shapes.RecordShape;

/**
 * Finds the access of a serializer. Classes are generated once per shape. Those of POJOs and Java
 * records are kept at the record's own class, so that they go with its class loader.
 *
 * <p>While a class is being generated the access is stock's, and says by {@link
 * RecordAccess#isPreliminary} that whoever keeps it is to ask again.
 *
 * <p>The arrays of a serializer are copied: stock hands them out, and a class that is being
 * generated must not see what somebody puts there meanwhile.
 */
public final class Accesses {

    /** Shapes of one class; a restored serializer may have its fields in another order. */
    private static final int MOST_SHAPES = 16;

    /** Of a row: their bits and the kind's are in one variable. */
    private static final int MOST_COLUMNS = Long.SIZE - 2;

    private static final ClassValue<Map<String, GeneratedAccess>> OF_CLASS =
            new ClassValue<>() {
                @Override
                protected Map<String, GeneratedAccess> computeValue(Class<?> type) {
                    return new ConcurrentHashMap<>();
                }
            };

    private static final ColumnShapes COLUMNS = new ColumnShapes();

    /** How stock makes objects; asked for once, on the thread that generates. */
    private static final class Manner {
        static final StockManner OF_STOCK = StockManner.ask();
    }

    private Accesses() {}

    /**
     * The access for POJOs or Java records.
     *
     * @param fields the serializer's; null for one that the class has no longer
     */
    public static RecordAccess ofFields(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        Field[] ownFields = fields.clone();
        TypeSerializer<?>[] own = serializers.clone();
        return generated(type, ownFields, own).access(own, ownFields);
    }

    /** The access for tuples; stock's for any class but Flink's own of that arity. */
    public static RecordAccess ofTuple(Class<?> type, TypeSerializer<?>[] serializers) {
        TypeSerializer<?>[] own = serializers.clone();
        return tuples(type, own).access(own, null);
    }

    /**
     * The access for rows.
     *
     * @param hasKind whether the kind of a row is written
     * @param positions the names of the positions; may be null
     */
    public static RecordAccess ofRow(
            TypeSerializer<?>[] serializers,
            boolean hasKind,
            LinkedHashMap<String, Integer> positions) {
        TypeSerializer<?>[] own = serializers.clone();
        return rows(own, hasKind).access(own, positions);
    }

    /** What {@link #ofTuple} finds. */
    static GeneratedAccess tuples(Class<?> type, TypeSerializer<?>[] serializers) {
        int arity = serializers.length;
        if (arity == 0 || arity > Tuple.MAX_ARITY || type != Tuple.getTupleClass(arity)) {
            return GeneratedAccess.refused(type.getName(), Reason.OTHER_TUPLE);
        }
        String key = type.getName() + '\n' + names(serializers);
        return COLUMNS.get(
                key,
                shape -> {
                    AccessFactory factory = AccessFactory.ofTuple(type, serializers);
                    return (own, none) -> factory.access(own, shape);
                });
    }

    /** What {@link #ofRow} finds. */
    static GeneratedAccess rows(TypeSerializer<?>[] serializers, boolean hasKind) {
        if (serializers.length > MOST_COLUMNS) {
            return GeneratedAccess.refused("row", Reason.TOO_LARGE);
        }
        String key = "row " + hasKind + '\n' + names(serializers);
        return COLUMNS.get(
                key,
                shape -> {
                    AccessFactory factory = AccessFactory.ofRow(serializers, hasKind);
                    return (own, named) -> factory.access(own, shape, named);
                });
    }

    /** What {@link #ofFields} finds. */
    static GeneratedAccess generated(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        Map<String, GeneratedAccess> shapes = OF_CLASS.get(type);
        String key = names(fields) + names(serializers);
        GeneratedAccess known = shapes.get(key);
        if (known != null) {
            return known;
        }
        if (shapes.size() >= MOST_SHAPES) {
            return GeneratedAccess.refused(type.getName(), Reason.TOO_MANY_SHAPES);
        }
        // Made first: what is known and never begun, for want of memory, would be waited for.
        GeneratedAccess.Generation generation =
                () -> {
                    RecordShape shape = RecordShape.of(type, fields, serializers);
                    StockManner manner = Manner.OF_STOCK;
                    AccessFactory factory = AccessFactory.ofFields(shape, manner.initialises());
                    return (all, own) -> factory.access(all, own, all, shape.constructor(), manner);
                };
        GeneratedAccess added = new GeneratedAccess(type.getName());
        GeneratedAccess other = shapes.putIfAbsent(key, added);
        if (other != null) {
            return other;
        }
        added.start(generation);
        return added;
    }

    /** Names alone: a serializer's class may be of another loader than the record's. */
    private static String names(TypeSerializer<?>[] serializers) {
        StringBuilder names = new StringBuilder();
        for (TypeSerializer<?> each : serializers) {
            names.append(each == null ? "" : each.getClass().getName()).append('\n');
        }
        return names.toString();
    }

    private static String names(Field[] fields) {
        StringBuilder names = new StringBuilder();
        for (Field each : fields) {
            if (each != null) {
                names.append(each.getDeclaringClass().getName()).append('.').append(each.getName());
            }
            names.append('\n');
        }
        return names.toString();
    }
}
