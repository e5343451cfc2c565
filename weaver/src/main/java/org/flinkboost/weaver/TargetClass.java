// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.description.type.TypeList;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import org.flinkboost.weaver.ClassPatch.Accessors;
import org.flinkboost.weaver.ClassPatch.Kind;
import org.flinkboost.weaver.ClassPatch.Member;
import org.flinkboost.weaver.ClassPatch.Replacement;

/**
 * The stock class of a patch. Finds the one member that the patch means; where it is not there, the
 * exception names what was expected and what the class has instead.
 */
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
     * @throws WeaveException when there is no such method with a body, or ours throws a checked
     *     exception that it does not declare
     */
    MethodDescription.InDefinedShape replaced(Replacement replacement) {
        MethodDescription.InDefinedShape ours = replacement.method();
        String expected = replacement.expectedSignature();
        List<MethodDescription.InDefinedShape> sameName =
                type.getDeclaredMethods().stream()
                        .filter(m -> m.getName().equals(ours.getName()))
                        .collect(toUnmodifiableList());
        // Synthetic methods are left out because their names are the compiler's own business.
        MethodDescription.InDefinedShape target =
                sameName.stream()
                        .filter(m -> m.isStatic() != replacement.instance())
                        .filter(m -> !m.isAbstract() && !m.isNative() && !m.isSynthetic())
                        .filter(m -> Signature.of(m).equals(expected))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        missing(
                                                (replacement.instance() ? "instance" : "static")
                                                        + " method "
                                                        + expected,
                                                ours,
                                                sameName.stream().map(TargetClass::described),
                                                primitiveHint(sameName)));
        requireDeclaredExceptions(ours, target);
        return target;
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
     * @throws WeaveException when the class has one of its methods already, or lacks an inherited
     *     one that nothing implements
     */
    void requireImplementable(Accessors accessors) {
        for (Member member : accessors.members()) {
            inherited(member.method())
                    .ifPresent(
                            method -> {
                                throw new WeaveException(
                                        Signature.ofMember(member.method())
                                                + " cannot be implemented by "
                                                + type.getName()
                                                + ": expected no method of that name and"
                                                + " parameters, found "
                                                + Signature.ofMember(method)
                                                + ".");
                            });
        }
        // A patch interface may extend others, whose methods the target may have on its own.
        for (MethodGraph.Node node :
                MethodGraph.Compiler.DEFAULT
                        .compile((TypeDefinition) accessors.type())
                        .listNodes()) {
            MethodDescription method = node.getRepresentative();
            boolean own = method.getDeclaringType().asErasure().equals(accessors.type());
            if (method.isAbstract() && !own && inherited(method).isEmpty()) {
                throw new WeaveException(
                        type.getName()
                                + " would not implement "
                                + Signature.ofMember(method)
                                + ": expected "
                                + accessors.type().getName()
                                + " to declare it with one of @Reads, @Writes, @Calls, found it"
                                + " only inherited.");
            }
        }
    }

    /** The instance method of that name and parameters, of the class or above it. */
    private Optional<MethodDescription> inherited(MethodDescription wanted) {
        for (TypeDefinition level : type) {
            for (MethodDescription method : level.getDeclaredMethods()) {
                if (!method.isStatic()
                        && method.getName().equals(wanted.getName())
                        && method.getParameters()
                                .asTypeList()
                                .asErasures()
                                .equals(wanted.getParameters().asTypeList().asErasures())) {
                    return Optional.of(method);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * The field that a {@code @Reads} or {@code @Writes} method stands for.
     *
     * @throws WeaveException when there is no such instance field of exactly that type, or it is
     *     final and would be written; an object of a type that cannot be named outside its package
     *     may be read as {@code Object}
     */
    FieldDescription.InDefinedShape accessed(Member member) {
        boolean writes = member.kind() == Kind.WRITES;
        TypeDescription fieldType =
                writes
                        ? member.method().getParameters().get(0).getType().asErasure()
                        : member.method().getReturnType().asErasure();
        return type.getDeclaredFields().stream()
                .filter(field -> field.getName().equals(member.targetMember()))
                .filter(
                        field ->
                                field.getType().asErasure().equals(fieldType)
                                        || !writes
                                                && fieldType.represents(Object.class)
                                                && !field.getType().isPrimitive())
                .filter(field -> !field.isStatic() && !(writes && field.isFinal()))
                .findFirst()
                .orElseThrow(
                        () ->
                                missing(
                                        (writes ? "non-final " : "")
                                                + "instance field "
                                                + fieldType.getName()
                                                + " "
                                                + member.targetMember(),
                                        member.method(),
                                        type.getDeclaredFields().stream()
                                                .map(TargetClass::described),
                                        ""));
    }

    /**
     * The method that a {@code @Calls} method stands for.
     *
     * @throws WeaveException when there is no such instance method
     */
    MethodDescription.InDefinedShape called(Member member) {
        String expected =
                Signature.of(
                        member.targetMember(),
                        member.method().getParameters().asTypeList().asErasures(),
                        member.method().getReturnType().asErasure());
        return type.getDeclaredMethods().stream()
                .filter(method -> !method.isStatic() && Signature.of(method).equals(expected))
                .findFirst()
                .orElseThrow(
                        () ->
                                missing(
                                        "instance method " + expected,
                                        member.method(),
                                        type.getDeclaredMethods().stream()
                                                .filter(MethodDescription::isMethod)
                                                .map(TargetClass::described),
                                        ""));
    }

    /** Of a member that one of ours means: what was expected, and what there is instead. */
    private WeaveException missing(
            String expected, MethodDescription ours, Stream<String> found, String hint) {
        return new WeaveException(
                type.getName()
                        + ": expected "
                        + expected
                        + " for "
                        + Signature.ofMember(ours)
                        + ", found "
                        + found.collect(toUnmodifiableList())
                        + hint
                        + ".");
    }

    private static String described(MethodDescription method) {
        int shown = Modifier.STATIC | Modifier.ABSTRACT | Modifier.NATIVE;
        return withModifiers(method.getModifiers() & shown, Signature.of(method));
    }

    private static String described(FieldDescription field) {
        int shown = Modifier.STATIC | Modifier.FINAL;
        return withModifiers(
                field.getModifiers() & shown,
                field.getType().asErasure().getName() + " " + field.getName());
    }

    private static String withModifiers(int modifiers, String name) {
        String text = Modifier.toString(modifiers);
        return (Modifier.isStatic(modifiers) ? "" : "instance ")
                + (text.isEmpty() ? name : text + " " + name);
    }
}
