// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static net.bytebuddy.matcher.ElementMatchers.is;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.TypeResolutionStrategy;
import net.bytebuddy.dynamic.scaffold.inline.MethodNameTransformer;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.ClassPatch.Accessors;
import org.flinkboost.weaver.ClassPatch.Kind;
import org.flinkboost.weaver.ClassPatch.Member;
import org.flinkboost.weaver.ClassPatch.Replacement;
import org.flinkboost.weaver.FrontedMethod.SwitchField;

/**
 * Applies a {@link ClassPatch} to a class file.
 *
 * <p>The class is rebased: each replaced body stays, as a private method whose name has the fixed
 * suffix {@link #STOCK_SUFFIX}, so that the same input gives the same bytes and stock's behaviour
 * can be switched back on. Class-file version and serialVersionUID stay those of the original.
 */
final class ClassWeaver {

    /** Appended to the name of a method whose body was stock's. */
    static final String STOCK_SUFFIX = "flinkBoostStock";

    private final TypePool pool;
    private final ClassFileLocator locator;
    private final SwitchField enabled;

    ClassWeaver(TypePool pool, ClassFileLocator locator, SwitchField enabled) {
        this.pool = pool;
        this.locator = locator;
        this.enabled = enabled;
    }

    /**
     * The woven class file.
     *
     * @throws WeaveException when a method or field that the patch names is not there exactly once
     */
    byte[] weave(ClassPatch patch) {
        TypeDescription type = pool.describe(patch.target()).resolve();
        requireUnwoven(type);
        requireDeclaredSerialVersion(type);
        DynamicType.Builder<?> builder =
                new ByteBuddy()
                        .with(Implementation.Context.Disabled.Factory.INSTANCE)
                        .rebase(type, locator, new MethodNameTransformer.Suffixing(STOCK_SUFFIX))
                        .visit(
                                new AsmVisitorWrapper.ForDeclaredMethods()
                                        .writerFlags(ClassWriter.COMPUTE_FRAMES));
        List<MethodDescription> replaced = new ArrayList<>();
        for (Replacement replacement : patch.replacements()) {
            MethodDescription method = replacedMethod(type, replacement);
            if (replaced.contains(method)) {
                throw new WeaveException(
                        type.getName()
                                + "."
                                + Signature.of(method)
                                + " is replaced twice: expected one @Replaces method, found another in "
                                + replacement.method().getDeclaringType().asErasure().getName()
                                + ".");
            }
            replaced.add(method);
            builder = builder.method(is(method)).intercept(new FrontedMethod(replacement, enabled));
        }
        for (Accessors accessors : patch.interfaces()) {
            builder = builder.implement(accessors.type());
            for (Member member : accessors.members()) {
                builder =
                        builder.method(is(member.method())).intercept(implementation(type, member));
            }
        }
        return builder.make(TypeResolutionStrategy.Passive.INSTANCE, pool).getBytes();
    }

    private static void requireUnwoven(TypeDescription type) {
        for (MethodDescription method : type.getDeclaredMethods()) {
            if (method.getName().endsWith(STOCK_SUFFIX)) {
                throw new WeaveException(
                        type.getName()
                                + "."
                                + Signature.of(method)
                                + " shows that the class is already woven: expected stock's class, found ours.");
            }
        }
    }

    /** Added members would change a computed serialVersionUID, and with it stored Java objects. */
    private static void requireDeclaredSerialVersion(TypeDescription type) {
        boolean declared =
                type.getDeclaredFields().stream()
                        .anyMatch(field -> field.getName().equals("serialVersionUID"));
        if (type.isAssignableTo(java.io.Serializable.class) && !declared) {
            throw new WeaveException(
                    type.getName()
                            + " is Serializable: expected a declared serialVersionUID, found none.");
        }
    }

    private static MethodDescription replacedMethod(TypeDescription type, Replacement replacement) {
        String expected = replacement.expectedSignature();
        List<MethodDescription.InDefinedShape> sameName =
                type.getDeclaredMethods().stream()
                        .filter(m -> m.getName().equals(replacement.method().getName()))
                        .toList();
        List<MethodDescription.InDefinedShape> matching =
                sameName.stream()
                        .filter(m -> m.isStatic() != replacement.instance())
                        .filter(m -> !m.isAbstract() && !m.isNative() && !m.isBridge())
                        .filter(m -> Signature.of(m).equals(expected))
                        .toList();
        if (matching.size() != 1) {
            throw new WeaveException(
                    type.getName()
                            + ": expected one "
                            + (replacement.instance() ? "instance" : "static")
                            + " method "
                            + expected
                            + ", found "
                            + sameName.stream().map(Signature::of).toList()
                            + ".");
        }
        return matching.get(0);
    }

    private static Implementation implementation(TypeDescription type, Member member) {
        if (member.kind() == Kind.CALLS) {
            return MethodCall.invoke(calledMethod(type, member)).withAllArguments();
        }
        boolean reads = member.kind() == Kind.READS;
        var parameters = member.method().getParameters();
        TypeDescription expected =
                reads
                        ? member.method().getReturnType().asErasure()
                        : parameters.size() == 1
                                ? parameters.get(0).getType().asErasure()
                                : TypeDescription.ForLoadedType.of(void.class);
        requireField(type, member, expected);
        return FieldAccessor.ofField(member.targetMember()).in(type);
    }

    private static void requireField(
            TypeDescription type, Member member, TypeDescription expected) {
        List<String> found =
                type.getDeclaredFields().stream()
                        .filter(field -> field.getName().equals(member.targetMember()))
                        .filter(field -> !field.isStatic())
                        .filter(field -> member.kind() == Kind.READS || !field.isFinal())
                        .map(ClassWeaver::fieldSignature)
                        .toList();
        String wanted = expected.getName() + " " + member.targetMember();
        if (!found.equals(List.of(wanted))) {
            throw new WeaveException(
                    type.getName()
                            + ": expected an instance field "
                            + wanted
                            + " for "
                            + Signature.of(member.method())
                            + ", found "
                            + type.getDeclaredFields().stream()
                                    .map(ClassWeaver::fieldSignature)
                                    .toList()
                            + ".");
        }
    }

    private static String fieldSignature(FieldDescription field) {
        return field.getType().asErasure().getName() + " " + field.getName();
    }

    private static MethodDescription calledMethod(TypeDescription type, Member member) {
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
                                new WeaveException(
                                        type.getName()
                                                + ": expected an instance method "
                                                + expected
                                                + ", found "
                                                + type.getDeclaredMethods().stream()
                                                        .map(Signature::of)
                                                        .toList()
                                                + "."));
    }
}
