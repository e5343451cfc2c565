// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static net.bytebuddy.matcher.ElementMatchers.is;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.description.modifier.SyntheticState;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.TypeResolutionStrategy;
import net.bytebuddy.dynamic.scaffold.inline.MethodNameTransformer;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Member;
import org.flinkboost.weaver.weave.ClassPatch.Replacement;

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
    private final FamilySwitches switches;

    ClassWeaver(TypePool pool, ClassFileLocator locator, FamilySwitches switches) {
        this.pool = pool;
        this.locator = locator;
        this.switches = switches;
    }

    /**
     * The woven class file.
     *
     * @param family whose switch the replaced methods ask
     * @param above the interfaces that superclasses are given
     * @throws WeaveException when a method or field that the patch names is not there exactly once
     */
    byte[] weave(ClassPatch patch, String family, List<Accessors> above) {
        TargetClass target = new TargetClass(pool.describe(patch.target()).resolve());
        target.requireUnwoven(patch);
        target.requireDeclaredSerialVersion();
        DynamicType.Builder<?> builder =
                new ByteBuddy()
                        .with(Implementation.Context.Disabled.Factory.INSTANCE)
                        .rebase(
                                target.type(),
                                locator,
                                new MethodNameTransformer.Suffixing(STOCK_SUFFIX))
                        .visit(
                                new AsmVisitorWrapper.ForDeclaredMethods()
                                        .writerFlags(ClassWriter.COMPUTE_FRAMES))
                        .visit(new InitialCall(switches));
        builder = replaceMethods(builder, target, patch, family);
        builder = implementInterfaces(builder, target, patch, above);
        return builder.make(TypeResolutionStrategy.Passive.INSTANCE, pool).getBytes();
    }

    private DynamicType.Builder<?> replaceMethods(
            DynamicType.Builder<?> builder, TargetClass target, ClassPatch patch, String family) {
        Map<MethodDescription, MethodDescription> replaced = new HashMap<>();
        for (Replacement replacement : patch.replacements()) {
            MethodDescription method = target.replaced(replacement);
            MethodDescription other = replaced.put(method, replacement.method());
            if (other != null) {
                throw new WeaveException(
                        Signature.ofMember(method)
                                + " is replaced twice: expected one @Replaces method, found "
                                + Signature.ofMember(other)
                                + " and "
                                + Signature.ofMember(replacement.method())
                                + ".");
            }
            builder =
                    builder.method(is(method))
                            .intercept(new FrontedMethod(replacement, switches, family));
        }
        return builder;
    }

    private static DynamicType.Builder<?> implementInterfaces(
            DynamicType.Builder<?> builder,
            TargetClass target,
            ClassPatch patch,
            List<Accessors> above) {
        List<Accessors> given = new ArrayList<>(patch.interfaces());
        given.addAll(above);
        Set<String> added = new HashSet<>();
        for (Accessors accessors : patch.interfaces()) {
            target.requireImplementable(accessors, given);
            builder = builder.implement(accessors.type());
            for (Member member : accessors.members()) {
                if (member.kind() == Kind.ADDS && !member.sets()) {
                    requireOnce(added, member);
                    builder =
                            builder.defineField(
                                    member.targetMember(),
                                    member.fieldType(),
                                    Visibility.PRIVATE,
                                    FieldPersistence.TRANSIENT,
                                    SyntheticState.SYNTHETIC);
                }
                builder = builder.method(is(member.method())).intercept(new AccessorMethod(member));
            }
        }
        return builder;
    }

    private static void requireOnce(Set<String> added, Member member) {
        if (!added.add(member.targetMember())) {
            throw new WeaveException(
                    Signature.ofMember(member.method())
                            + " adds the field "
                            + member.targetMember()
                            + ": expected it added by one interface, found two.");
        }
    }
}
