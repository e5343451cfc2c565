// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple;

/**
 * The types of records that the signatures of a class name: what its functions, states, streams and
 * type hints are of. What a lambda takes and returns stands in no class file.
 */
final class JobSignatures {

    private static final String FLINK = "org.apache.flink.";

    private final List<Type> found = new ArrayList<>();

    private JobSignatures() {}

    /**
     * What {@code type} names, without type variables.
     *
     * @throws LinkageError or {@code TypeNotPresentException} when one of its types is not there
     */
    static List<Type> of(Class<?> type) {
        JobSignatures signatures = new JobSignatures();
        signatures.look(type.getGenericSuperclass());
        for (Type each : type.getGenericInterfaces()) {
            signatures.look(each);
        }
        for (Field each : type.getDeclaredFields()) {
            signatures.look(each.getGenericType());
        }
        for (Method each : type.getDeclaredMethods()) {
            signatures.look(each.getGenericReturnType());
            signatures.lookAtParameters(each);
        }
        for (Executable each : type.getDeclaredConstructors()) {
            signatures.lookAtParameters(each);
        }
        return signatures.found;
    }

    private void lookAtParameters(Executable each) {
        for (Type parameter : each.getGenericParameterTypes()) {
            look(parameter);
        }
    }

    private void look(Type type) {
        if (!(type instanceof ParameterizedType)) {
            return;
        }
        ParameterizedType generic = (ParameterizedType) type;
        Class<?> raw = (Class<?>) generic.getRawType();
        if (Tuple.class.isAssignableFrom(raw)) {
            add(generic);
        }
        for (Type argument : generic.getActualTypeArguments()) {
            if (raw.getName().startsWith(FLINK)) {
                add(argument);
            }
            look(argument);
        }
    }

    private void add(Type type) {
        if (isWhole(type)) {
            found.add(type);
        }
    }

    /** Whether it says everything. */
    private static boolean isWhole(Type type) {
        if (type instanceof ParameterizedType) {
            for (Type argument : ((ParameterizedType) type).getActualTypeArguments()) {
                if (!isWhole(argument)) {
                    return false;
                }
            }
            return true;
        }
        return type instanceof Class;
    }
}
