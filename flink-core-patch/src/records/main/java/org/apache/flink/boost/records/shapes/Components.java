// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.lang.reflect.Method;

/** The components of a Java record, by reflection: our classes are compiled for Java 11. */
final class Components {

    private Components() {}

    static String[] names(Class<?> type) {
        Object[] components = of(type);
        String[] names = new String[components.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = (String) ask(components[i], "getName");
        }
        return names;
    }

    static Class<?>[] types(Class<?> type) {
        Object[] components = of(type);
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = (Class<?>) ask(components[i], "getType");
        }
        return types;
    }

    private static Object[] of(Class<?> type) {
        return (Object[]) ask(type, "getRecordComponents");
    }

    private static Object ask(Object component, String method) {
        try {
            Method asked = component.getClass().getMethod(method);
            return asked.invoke(component);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A record does not tell its components.", e);
        }
    }
}
