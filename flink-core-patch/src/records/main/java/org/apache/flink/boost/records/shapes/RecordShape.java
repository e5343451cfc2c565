// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A class of records with its fields in the serializer's order: all that generated code depends on.
 */
public final class RecordShape {

    /** Of a POJO, whose code is cut into methods; some 40 bytes of constants each. */
    private static final int MOST_FIELDS = 1_000;

    /**
     * Of a record, which is read in one method; HotSpot never compiles one above 8,000 bytes. A
     * method takes them as parameters, too, even if all are longs (255 slots, JVMS 4.3.3).
     */
    private static final int MOST_COMPONENTS = 100;

    private final Class<?> type;
    private final List<FieldShape> fields;
    private final Constructor<?> constructor;
    private final List<FieldShape> components;

    private RecordShape(
            Class<?> type,
            List<FieldShape> fields,
            Constructor<?> constructor,
            List<FieldShape> components) {
        this.type = type;
        this.fields = fields;
        this.constructor = constructor;
        this.components = components;
    }

    /**
     * What {@code fields} and {@code serializers} make of a class.
     *
     * @throws UnsuitableRecordException when the class is to go stock's way
     */
    public static RecordShape of(Class<?> type, Field[] fields, TypeSerializer<?>[] serializers)
            throws UnsuitableRecordException {
        boolean record = isRecord(type);
        Visibility.requireLoader(type);
        if (fields.length > (record ? MOST_COMPONENTS : MOST_FIELDS)) {
            throw new UnsuitableRecordException(Reason.TOO_LARGE, type, "");
        }
        List<FieldShape> shapes = new ArrayList<>(fields.length);
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] == null) {
                throw new UnsuitableRecordException(Reason.REMOVED_FIELD, type, "");
            }
            boolean isByHandle = requireField(type, fields[i], record);
            shapes.add(new FieldShape(i, type, fields[i], isByHandle, serializers[i]));
        }
        return record ? ofRecord(type, shapes) : ofPojo(type, shapes);
    }

    private static boolean isRecord(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return parent != null
                && parent.getName().equals("java.lang.Record")
                && Modifier.isFinal(type.getModifiers());
    }

    /** Refuses a field that cannot be moved; returns whether another one needs a handle. */
    private static boolean requireField(Class<?> type, Field field, boolean record)
            throws UnsuitableRecordException {
        int modifiers = field.getModifiers();
        if (Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers) && !record) {
            throw new UnsuitableRecordException(Reason.FIXED_FIELD, type, ": " + field.getName());
        }
        if (!field.getDeclaringClass().isAssignableFrom(type)) {
            throw new IllegalArgumentException(type + " has not " + field);
        }
        Visibility.requireType(type, field);
        return !Visibility.isTouchable(type, field);
    }

    private static RecordShape ofPojo(Class<?> type, List<FieldShape> fields)
            throws UnsuitableRecordException {
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            throw new UnsuitableRecordException(Reason.NOT_A_CLASS, type, "");
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            if (Modifier.isPublic(type.getModifiers())
                    && Modifier.isPublic(constructor.getModifiers())) {
                return new RecordShape(type, fields, constructor, null);
            }
        } catch (NoSuchMethodException e) {
            // Stock fails with its own words as soon as it needs one.
        }
        throw new UnsuitableRecordException(Reason.NOT_PUBLIC, type, "");
    }

    private static RecordShape ofRecord(Class<?> type, List<FieldShape> fields)
            throws UnsuitableRecordException {
        // A record's fields are its components, and declared in their order by the compiler only;
        // the canonical constructor is the one that takes their types in the components' order.
        List<FieldShape> components = new ArrayList<>();
        for (String name : Components.names(type)) {
            for (FieldShape field : fields) {
                if (field.name().equals(name)) {
                    components.add(field);
                }
            }
        }
        Set<FieldShape> all = new HashSet<>(components);
        Class<?>[] types = components.stream().map(FieldShape::type).toArray(Class<?>[]::new);
        if (all.size() != fields.size() || !Arrays.equals(types, Components.types(type))) {
            throw new UnsuitableRecordException(Reason.NOT_ITS_COMPONENTS, type, "");
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return new RecordShape(type, fields, constructor, components);
        } catch (NoSuchMethodException e) {
            throw new UnsuitableRecordException(Reason.NOT_ITS_COMPONENTS, type, "");
        }
    }

    public Class<?> type() {
        return type;
    }

    /** The fields in the order of the bytes. */
    public List<FieldShape> fields() {
        return fields;
    }

    /** Those that generated code cannot touch, private ones of a superclass, mostly. */
    public List<FieldShape> fieldsByHandle() {
        List<FieldShape> found = new ArrayList<>(fields);
        found.removeIf(each -> !each.isByHandle());
        return found;
    }

    /**
     * The handle of each of {@link #fieldsByHandle}.
     *
     * @throws IllegalAccessException when a superclass is in a module that does not let us
     */
    public List<VarHandle> handles() throws IllegalAccessException {
        List<VarHandle> handles = new ArrayList<>();
        for (FieldShape field : fieldsByHandle()) {
            handles.add(field.handle());
        }
        return handles;
    }

    /** The constructor without parameters of a POJO, the canonical one of a record. */
    public Constructor<?> constructor() {
        return constructor;
    }

    /** Whether it is a Java record. */
    public boolean isRecord() {
        return components != null;
    }

    /** The fields of a Java record in the order of its constructor's parameters. */
    public List<FieldShape> components() {
        return components;
    }
}
