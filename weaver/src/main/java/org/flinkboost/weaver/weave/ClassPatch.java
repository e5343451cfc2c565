// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** Everything that changes in one Flink class. */
final class ClassPatch {

    private final String target;
    private final List<Replacement> replacements;
    private final List<Accessors> interfaces;

    ClassPatch(String target, List<Replacement> replacements, List<Accessors> interfaces) {
        this.target = target;
        this.replacements = replacements;
        this.interfaces = interfaces;
    }

    /** Binary name of the Flink class. */
    String target() {
        return target;
    }

    /** Methods that run in front of stock's. */
    List<Replacement> replacements() {
        return replacements;
    }

    /** What the target implements in addition. */
    List<Accessors> interfaces() {
        return interfaces;
    }

    /** A method of ours in front of one of stock's. */
    static final class Replacement {

        private final MethodDescription.InDefinedShape method;
        private final boolean instance;
        private final Optional<FieldDescription.InDefinedShape> handOver;

        Replacement(
                MethodDescription.InDefinedShape method,
                boolean instance,
                Optional<FieldDescription.InDefinedShape> handOver) {
            this.method = method;
            this.instance = instance;
            this.handOver = handOver;
        }

        /** Ours. */
        MethodDescription.InDefinedShape method() {
            return method;
        }

        /** Whether the target method is an instance method: ours takes the receiver first. */
        boolean instance() {
            return instance;
        }

        /** The field that means "stock's body"; empty where the target returns void. */
        Optional<FieldDescription.InDefinedShape> handOver() {
            return handOver;
        }

        /** Of the target method. */
        List<TypeDescription> parameters() {
            List<TypeDescription> all = method.getParameters().asTypeList().asErasures();
            return instance ? all.subList(1, all.size()) : all;
        }
    }

    /** An interface of ours that the target implements. */
    static final class Accessors {

        private final TypeDescription type;
        private final List<Member> members;

        Accessors(TypeDescription type, List<Member> members) {
            this.type = type;
            this.members = members;
        }

        /** The interface. */
        TypeDescription type() {
            return type;
        }

        /** How each of its methods is implemented. */
        List<Member> members() {
            return members;
        }
    }

    /** How one interface method is implemented. */
    static final class Member {

        private final MethodDescription.InDefinedShape method;
        private final Kind kind;
        private final String targetMember;

        Member(MethodDescription.InDefinedShape method, Kind kind, String targetMember) {
            this.method = method;
            this.kind = kind;
            this.targetMember = targetMember;
        }

        MethodDescription.InDefinedShape method() {
            return method;
        }

        Kind kind() {
            return kind;
        }

        String targetMember() {
            return targetMember;
        }

        /** Whether it takes the value of a field, rather than giving it. */
        boolean sets() {
            return method.getReturnType().represents(void.class);
        }

        /** The type of the field that it gives or takes. */
        TypeDescription fieldType() {
            return sets()
                    ? method.getParameters().get(0).getType().asErasure()
                    : method.getReturnType().asErasure();
        }
    }

    /** The four things an interface method can do, by the annotation that says so. */
    enum Kind {
        READS(Reads.class),
        WRITES(Writes.class),
        CALLS(Calls.class),
        ADDS(Adds.class);

        private final Class<? extends Annotation> annotation;

        Kind(Class<? extends Annotation> annotation) {
            this.annotation = annotation;
        }

        Class<? extends Annotation> annotation() {
            return annotation;
        }
    }
}
