// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.description.type.TypeList;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Member;
import org.flinkboost.weaver.weave.ClassPatch.Replacement;

/** The stock class of a patch: whether it can be woven, and which of its methods are replaced. */
final class TargetClass {

    private final TypeDescription type;

    TargetClass(TypeDescription type) {
        this.type = type;
    }

    /** The class as its jar holds it. */
    TypeDescription type() {
        return type;
    }

    /**
     * Refuses a class that is woven already.
     *
     * @throws WeaveException when it has a kept stock body or one of the patch's interfaces
     */
    void requireUnwoven(ClassPatch patch) {
        Stream<String> bodies =
                type.getDeclaredMethods().stream()
                        .filter(m -> m.getName().endsWith(ClassWeaver.STOCK_SUFFIX))
                        .map(Signature::of);
        Stream<String> interfaces =
                patch.interfaces().stream()
                        .filter(a -> type.getInterfaces().asErasures().contains(a.type()))
                        .map(a -> a.type().getName());
        List<String> found = Stream.concat(bodies, interfaces).collect(toUnmodifiableList());
        if (!found.isEmpty()) {
            throw new WeaveException(
                    type.getName()
                            + " is already woven: expected stock's class, found one with "
                            + found
                            + ".");
        }
    }

    /**
     * Refuses a class whose serialVersionUID is computed from its members: adding some would change
     * it, and Java objects stored by stock could not be read any more.
     *
     * @throws WeaveException when it is Serializable and declares none
     */
    void requireDeclaredSerialVersion() {
        boolean declared =
                type.getDeclaredFields().stream()
                        .filter(field -> field.isStatic() && field.isFinal())
                        .anyMatch(field -> field.getName().equals("serialVersionUID"));
        if (type.isAssignableTo(Serializable.class) && !declared) {
            throw new WeaveException(
                    type.getName()
                            + " is Serializable: expected a declared static final serialVersionUID,"
                            + " found none.");
        }
    }

    /**
     * The method whose body is replaced.
     *
     * @throws WeaveException when there is not exactly one such method with a body, or ours throws
     *     a checked exception that it does not declare
     */
    MethodDescription.InDefinedShape replaced(Replacement replacement) {
        MethodDescription.InDefinedShape ours = replacement.method();
        List<MethodDescription.InDefinedShape> sameName =
                type.getDeclaredMethods().stream()
                        .filter(m -> m.getName().equals(ours.getName()))
                        .collect(toUnmodifiableList());
        boolean ofVoid = replacement.handOver().isEmpty();
        String parameters = Signature.of(ours.getName(), replacement.parameters());
        // Synthetic methods are left out because their names are the compiler's own business.
        List<MethodDescription.InDefinedShape> found =
                sameName.stream()
                        .filter(m -> m.isStatic() != replacement.instance())
                        .filter(m -> !m.isAbstract() && !m.isNative() && !m.isSynthetic())
                        .filter(m -> Signature.ofParameters(m).equals(parameters))
                        .filter(m -> returns(m, ofVoid))
                        .collect(toUnmodifiableList());
        if (found.size() != 1) {
            throw TargetMembers.missing(
                    type,
                    (found.isEmpty() ? "" : "one ")
                            + (replacement.instance() ? "instance" : "static")
                            + " method "
                            + parameters
                            + (ofVoid ? "void" : " that returns an object"),
                    Signature.ofMember(ours),
                    sameName.stream().map(m -> TargetMembers.described(m, "")),
                    primitiveHint(sameName));
        }
        requireDeclaredExceptions(ours, found.get(0));
        return found.get(0);
    }

    private static boolean returns(MethodDescription method, boolean nothing) {
        TypeDescription returned = method.getReturnType().asErasure();
        return nothing ? returned.represents(void.class) : !returned.isPrimitive();
    }

    /** No compiler sees both: callers of the target could not catch what it does not declare. */
    private void requireDeclaredExceptions(
            MethodDescription.InDefinedShape ours, MethodDescription.InDefinedShape target) {
        TypeList declared = target.getExceptionTypes().asErasures();
        for (TypeDescription thrown : ours.getExceptionTypes().asErasures()) {
            boolean allowed =
                    thrown.isAssignableTo(RuntimeException.class)
                            || thrown.isAssignableTo(Error.class)
                            || declared.stream().anyMatch(thrown::isAssignableTo);
            if (!allowed) {
                throw new WeaveException(
                        Signature.ofMember(ours)
                                + " throws "
                                + thrown.getName()
                                + ", which "
                                + Signature.ofMember(target)
                                + " does not declare.");
            }
        }
    }

    private static String primitiveHint(List<MethodDescription.InDefinedShape> methods) {
        boolean primitive =
                methods.stream()
                        .map(method -> method.getReturnType().asErasure())
                        .anyMatch(type -> type.isPrimitive() && !type.represents(void.class));
        return primitive ? "; a method that returns a primitive cannot be replaced" : "";
    }

    /**
     * Checks that an interface can be implemented as its annotations say.
     *
     * @param given all interfaces of patches that the class or a superclass implements
     * @throws WeaveException when the class has one of its methods or fields already, or lacks an
     *     inherited one that nothing implements
     */
    void requireImplementable(Accessors accessors, Collection<Accessors> given) {
        for (Member member : accessors.members()) {
            inherited(member.method()).ifPresent(found -> refuse(member, found));
            given.stream()
                    .filter(other -> other != accessors)
                    .flatMap(other -> other.members().stream())
                    .filter(other -> sameParameters(other.method(), member.method()))
                    .forEach(other -> refuse(member, other.method()));
            if (member.kind() == Kind.ADDS) {
                requireNewField(member);
            }
        }
        Set<TypeDescription> implemented =
                given.stream().map(Accessors::type).collect(Collectors.toSet());
        // A patch interface may extend others, whose methods the target may have on its own.
        for (MethodGraph.Node node :
                MethodGraph.Compiler.DEFAULT
                        .compile((TypeDefinition) accessors.type())
                        .listNodes()) {
            MethodDescription method = node.getRepresentative();
            boolean ours = implemented.contains(method.getDeclaringType().asErasure());
            if (method.isAbstract() && !ours && inherited(method).isEmpty()) {
                throw new WeaveException(
                        type.getName()
                                + " would not implement "
                                + Signature.ofMember(method)
                                + ": expected "
                                + accessors.type().getName()
                                + " to declare it with one of @Reads, @Writes, @Calls, @Adds, found"
                                + " it only inherited.");
            }
        }
    }

    private void refuse(Member member, MethodDescription found) {
        throw new WeaveException(
                Signature.ofMember(member.method())
                        + " cannot be implemented by "
                        + type.getName()
                        + ": expected no method of that name and parameters, found "
                        + Signature.ofMember(found)
                        + ".");
    }

    private void requireNewField(Member member) {
        for (FieldDescription field : type.getDeclaredFields()) {
            if (field.getName().equals(member.targetMember())) {
                throw new WeaveException(
                        Signature.ofMember(member.method())
                                + " cannot add a field to "
                                + type.getName()
                                + ": expected none of that name, found "
                                + field
                                + ".");
            }
        }
    }

    /** The instance method of that name and parameters, of the class or above it. */
    private Optional<MethodDescription> inherited(MethodDescription wanted) {
        for (TypeDefinition level : type) {
            for (MethodDescription method : level.getDeclaredMethods()) {
                if (!method.isStatic() && sameParameters(method, wanted)) {
                    return Optional.of(method);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean sameParameters(MethodDescription one, MethodDescription other) {
        return Signature.ofParameters(one).equals(Signature.ofParameters(other));
    }
}
