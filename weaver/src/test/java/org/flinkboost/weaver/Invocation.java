// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Calls of classes that a test has only in a class loader of their own. */
final class Invocation {

    private Invocation() {}

    /** Calls a public instance method. */
    static Object call(Object receiver, String name, Object... arguments) throws Exception {
        return invoke(receiver.getClass(), receiver, name, arguments);
    }

    /** Calls the public method of that name and number of parameters. */
    static Object invoke(Class<?> type, Object receiver, String name, Object... arguments)
            throws Exception {
        Method found =
                Arrays.stream(type.getMethods())
                        .filter(method -> method.getName().equals(name))
                        .filter(method -> method.getParameterCount() == arguments.length)
                        .findFirst()
                        .orElseThrow();
        try {
            return found.invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error) {
                throw (Error) e.getCause();
            }
            throw (Exception) e.getCause();
        }
    }
}
