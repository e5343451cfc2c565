// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;

/** An object with all that hangs on it as text: classes, values by their bits, and what is one. */
final class ObjectText {

    private final Map<Object, Integer> seen = new IdentityHashMap<>();
    private final Map<Object, Boolean> origins = new IdentityHashMap<>();
    private final StringBuilder text = new StringBuilder();

    private ObjectText() {}

    static String of(Object object) {
        ObjectText text = new ObjectText();
        text.append(object);
        return text.text.toString();
    }

    /** The text of a copy, in which each object that is also the original's is marked. */
    static String ofCopy(Object copy, Object original) {
        ObjectText whole = new ObjectText();
        whole.append(original);
        ObjectText text = new ObjectText();
        whole.seen.keySet().forEach(each -> text.origins.put(each, true));
        text.append(copy);
        return text.text.toString();
    }

    private void append(Object object) {
        if (object == null) {
            text.append("null");
            return;
        }
        Integer before = seen.get(object);
        if (before != null) {
            text.append("#").append(before);
            return;
        }
        seen.put(object, seen.size());
        if (origins.containsKey(object)) {
            text.append("=");
        }
        Class<?> type = object.getClass();
        text.append(type.getSimpleName()).append('(');
        if (object instanceof Float) {
            text.append(Float.floatToRawIntBits((Float) object));
        } else if (object instanceof Double) {
            text.append(Double.doubleToRawLongBits((Double) object));
        } else if (object instanceof Character) {
            text.append((int) (char) object);
        } else if (object instanceof Collection) {
            ((Collection<?>) object).forEach(this::appendElement);
        } else if (type.isArray()) {
            for (int i = 0; i < Array.getLength(object); i++) {
                appendElement(Array.get(object, i));
            }
        } else if (type.getName().startsWith("java.") || object instanceof Enum) {
            text.append(object);
        } else {
            fields(type, object);
        }
        text.append(')');
    }

    private void appendElement(Object element) {
        append(element);
        text.append(',');
    }

    private void fields(Class<?> type, Object object) {
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    text.append(field.getName()).append(':');
                    field.setAccessible(true);
                    try {
                        Object value = field.get(object);
                        if (field.getType().isPrimitive()) {
                            // A box of the moment is no object of the record's.
                            text.append(of(value)).append(',');
                        } else {
                            appendElement(value);
                        }
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
    }
}
