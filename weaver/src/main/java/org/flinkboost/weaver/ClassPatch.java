// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.util.List;
import java.util.Optional;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;

/**
 * Everything that changes in one Flink class.
 *
 * @param target binary name of the Flink class
 * @param replacements methods that run in front of stock's
 * @param interfaces what the target implements in addition
 */
record ClassPatch(String target, List<Replacement> replacements, List<Accessors> interfaces) {

    /**
     * A method of ours in front of one of stock's.
     *
     * @param method ours
     * @param instance whether the target method is an instance method
     * @param handOver the field that means "stock's body"; empty where the target returns void
     */
    record Replacement(
            MethodDescription.InDefinedShape method,
            boolean instance,
            Optional<FieldDescription.InDefinedShape> handOver) {

        /** The target's signature that this replaces, as {@code name(types)return}. */
        String expectedSignature() {
            List<TypeDescription> parameters = method.getParameters().asTypeList().asErasures();
            TypeDescription returned = method.getReturnType().asErasure();
            return Signature.of(
                    method.getName(),
                    instance ? parameters.subList(1, parameters.size()) : parameters,
                    handOver.isPresent() ? returned : TypeDescription.ForLoadedType.of(void.class));
        }
    }

    /**
     * An interface of ours that the target implements.
     *
     * @param type the interface
     * @param members how each of its methods is implemented
     */
    record Accessors(TypeDescription type, List<Member> members) {}

    /** How one interface method is implemented. */
    record Member(MethodDescription.InDefinedShape method, Kind kind, String targetMember) {}

    /** The three things an interface method can do. */
    enum Kind {
        READS,
        WRITES,
        CALLS
    }
}
