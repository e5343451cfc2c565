// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.bytebuddy.description.ByteCodeElement;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Member;

/**
 * The instance members that code of a stock class can touch, its own and inherited ones. Finds the
 * one that a patch means; otherwise the exception names what was expected and what there is.
 */
final class TargetMembers {

    private final TypeDescription type;

    TargetMembers(TypeDescription type) {
        this.type = type;
    }

    /**
     * The field that a {@code @Reads} or {@code @Writes} method stands for.
     *
     * @throws WeaveException when there is not exactly one instance field of exactly that type, or
     *     it is final and would be written, or private to a superclass; an object of a type that
     *     cannot be named outside its package may be read as {@code Object}
     */
    FieldDescription.InDefinedShape accessed(Member member) {
        boolean writes = member.kind() == Kind.WRITES;
        TypeDescription wanted = member.fieldType();
        Predicate<FieldDescription> fits =
                field ->
                        field.getType().asErasure().equals(wanted)
                                || !writes
                                        && wanted.represents(Object.class)
                                        && !field.getType().isPrimitive();
        List<FieldDescription.InDefinedShape> found =
                fields(type)
                        .filter(field -> field.getName().equals(member.targetMember()))
                        .filter(field -> !field.isStatic() && !(writes && field.isFinal()))
                        .filter(fits)
                        .collect(toUnmodifiableList());
        String expected =
                (writes ? "non-final " : "")
                        + "instance field "
                        + wanted.getName()
                        + " "
                        + member.targetMember();
        return only(found, expected, member, fields(type).map(this::described));
    }

    /**
     * The method that a {@code @Calls} method stands for.
     *
     * @throws WeaveException when there is not exactly one such instance method, or it is private
     *     to a superclass
     */
    MethodDescription.InDefinedShape called(Member member) {
        String signature =
                Signature.of(
                        member.targetMember(),
                        member.method().getParameters().asTypeList().asErasures(),
                        member.method().getReturnType().asErasure());
        List<MethodDescription.InDefinedShape> found = new ArrayList<>();
        methods(type)
                .filter(method -> !method.isStatic() && Signature.of(method).equals(signature))
                .filter(method -> found.stream().noneMatch(below -> overrides(below, method)))
                .forEach(found::add);
        return only(
                found,
                "instance method " + signature,
                member,
                methods(type).filter(MethodDescription::isMethod).map(this::described));
    }

    /** The field that an {@code @Adds} method stands for, in a class that has it by now. */
    FieldDescription.InDefinedShape added(Member member) {
        return type.getDeclaredFields().stream()
                .filter(field -> field.getName().equals(member.targetMember()))
                .findFirst()
                .orElseThrow();
    }

    private <T extends ByteCodeElement.Member> T only(
            List<T> found, String expected, Member member, Stream<String> all) {
        String ours = Signature.ofMember(member.method());
        if (found.isEmpty()) {
            throw missing(type, expected, ours, all, "");
        }
        if (found.size() > 1) {
            throw new WeaveException(
                    type.getName()
                            + ": expected one "
                            + expected
                            + " for "
                            + ours
                            + ", found "
                            + found.size()
                            + ": "
                            + found
                            + ".");
        }
        T only = found.get(0);
        if (!isTouchable(only)) {
            throw new WeaveException(
                    type.getName()
                            + ": "
                            + only
                            + " for "
                            + ours
                            + " is not visible to it: expected a member that it inherits; open this"
                            + " one by an interface that patches the class that declares it.");
        }
        return only;
    }

    /** In a class file for Java 8 not even classes in one source file share private members. */
    private boolean isTouchable(ByteCodeElement.Member member) {
        boolean own = member.getDeclaringType().asErasure().equals(type);
        return own || !member.isPrivate() && member.isVisibleTo(type);
    }

    /** Same signature: a virtual method has one body per class, which is found by the lowest. */
    private static boolean overrides(MethodDescription below, MethodDescription above) {
        return !below.isPrivate()
                && !above.isPrivate()
                && above.isVisibleTo(below.getDeclaringType().asErasure());
    }

    /** Of a member that one of ours means: what was expected, and what there is instead. */
    static WeaveException missing(
            TypeDescription type, String expected, String ours, Stream<String> found, String hint) {
        return new WeaveException(
                type.getName()
                        + ": expected "
                        + expected
                        + " for "
                        + ours
                        + ", found "
                        + found.collect(toUnmodifiableList())
                        + hint
                        + ".");
    }

    /** Those of the class first, those of the superclass behind them. */
    private static Stream<FieldDescription.InDefinedShape> fields(TypeDescription type) {
        return levels(type).flatMap(level -> level.getDeclaredFields().stream());
    }

    private static Stream<MethodDescription.InDefinedShape> methods(TypeDescription type) {
        return levels(type).flatMap(level -> level.getDeclaredMethods().stream());
    }

    private static Stream<TypeDescription> levels(TypeDescription type) {
        List<TypeDescription> levels = new ArrayList<>();
        for (TypeDefinition level : type) {
            if (!level.represents(Object.class)) {
                levels.add(level.asErasure());
            }
        }
        return levels.stream();
    }

    /** As {@code instance final long limit}, an inherited one with its class. */
    private String described(FieldDescription.InDefinedShape field) {
        return withModifiers(
                field.getModifiers() & (Modifier.STATIC | Modifier.FINAL),
                field.getType().asErasure().getName()
                        + " "
                        + owner(field.getDeclaringType())
                        + field.getName());
    }

    private String described(MethodDescription.InDefinedShape method) {
        return described(method, owner(method.getDeclaringType()));
    }

    private String owner(TypeDescription declaring) {
        return declaring.equals(type) ? "" : declaring.getName() + ".";
    }

    static String described(MethodDescription method, String owner) {
        int shown = Modifier.STATIC | Modifier.ABSTRACT | Modifier.NATIVE;
        return withModifiers(method.getModifiers() & shown, owner + Signature.of(method));
    }

    private static String withModifiers(int modifiers, String name) {
        String text = Modifier.toString(modifiers);
        return (Modifier.isStatic(modifiers) ? "" : "instance ")
                + (text.isEmpty() ? name : text + " " + name);
    }
}
