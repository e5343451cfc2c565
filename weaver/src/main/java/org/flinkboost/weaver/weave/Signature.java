// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import java.util.List;
import java.util.stream.Collectors;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;

/** Method signatures as people read them, used to match and to report. */
final class Signature {

    private Signature() {}

    /** As {@code name(types)return}. */
    static String of(MethodDescription method) {
        return of(
                method.getInternalName(),
                method.getParameters().asTypeList().asErasures(),
                method.getReturnType().asErasure());
    }

    static String of(
            String name, List<? extends TypeDescription> parameters, TypeDescription returned) {
        return of(name, parameters) + returned.getName();
    }

    /** As {@code name(types)}. */
    static String ofParameters(MethodDescription method) {
        return of(method.getInternalName(), method.getParameters().asTypeList().asErasures());
    }

    static String of(String name, List<? extends TypeDescription> parameters) {
        return parameters.stream()
                .map(TypeDescription::getName)
                .collect(Collectors.joining(",", name + "(", ")"));
    }

    /** As {@code Class.name(types)return}. */
    static String ofMember(MethodDescription method) {
        return method.getDeclaringType().asErasure().getName() + "." + of(method);
    }
}
