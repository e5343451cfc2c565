// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Objects;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.types.StringValue;

/** What a class that is a nestmate of the record's may name and touch. */
final class Visibility {

    /** Flink's classes that generated code names. */
    private static final Class<?>[] NAMED = {
        TypeSerializer.class,
        DataInputView.class,
        DataOutputView.class,
        MemorySegment.class,
        StringValue.class,
    };

    private Visibility() {}

    /** Refuses a class whose loader does not have our classes and Flink's as we have them. */
    static void requireLoader(Class<?> type) throws UnsuitableRecordException {
        ClassLoader loader = type.getClassLoader();
        if (loader == null || !isSame(RecordAccess.class, loader)) {
            throw new UnsuitableRecordException(Reason.JDK_CLASS, type, "");
        }
        for (Class<?> each : NAMED) {
            if (!isSame(each, loader)) {
                throw new UnsuitableRecordException(Reason.OTHER_FLINK, type, "");
            }
        }
    }

    /** Refuses a field whose type cannot be named from {@code type}. */
    static void requireType(Class<?> type, Field field) throws UnsuitableRecordException {
        Class<?> element = field.getType();
        while (element.isArray()) {
            element = element.getComponentType();
        }
        if (!element.isPrimitive() && !isNameable(type, element)) {
            throw new UnsuitableRecordException(Reason.HIDDEN_TYPE, type, ": " + field.getName());
        }
    }

    /** Whether {@code type} may touch a field of its own or of a superclass. */
    static boolean isTouchable(Class<?> type, Field field) {
        Class<?> owner = field.getDeclaringClass();
        if (owner == type) {
            return true;
        }
        int modifiers = field.getModifiers();
        return isNameable(type, owner)
                && (Modifier.isPublic(modifiers)
                        || !Modifier.isPrivate(modifiers) && isNeighbour(type, owner));
    }

    /** Whether the name means this class where {@code type} stands, and may be used there. */
    private static boolean isNameable(Class<?> type, Class<?> named) {
        if (!isSame(named, type.getClassLoader())) {
            return false;
        }
        if (isNeighbour(type, named)) {
            return true;
        }
        // Of a nested class the JVM knows only "public" or not; "protected" is public to it, but a
        // private or protected one is not worth a guess.
        return Modifier.isPublic(named.getModifiers())
                && named.getModule().isExported(named.getPackageName(), type.getModule());
    }

    private static boolean isNeighbour(Class<?> type, Class<?> other) {
        return type.getClassLoader() == other.getClassLoader()
                && Objects.equals(type.getPackageName(), other.getPackageName());
    }

    private static boolean isSame(Class<?> named, ClassLoader loader) {
        try {
            return Class.forName(named.getName(), false, loader) == named;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
