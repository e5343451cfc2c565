// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static net.bytebuddy.matcher.ElementMatchers.is;

import java.util.HashMap;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.method.MethodDescription;
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
                        .visit(new InitialCall(enabled));
        builder = replaceMethods(builder, target, patch);
        builder = implementInterfaces(builder, target, patch);
        return builder.make(TypeResolutionStrategy.Passive.INSTANCE, pool).getBytes();
    }

    private DynamicType.Builder<?> replaceMethods(
            DynamicType.Builder<?> builder, TargetClass target, ClassPatch patch) {
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
            builder = builder.method(is(method)).intercept(new FrontedMethod(replacement, enabled));
        }
        return builder;
    }

    private static DynamicType.Builder<?> implementInterfaces(
            DynamicType.Builder<?> builder, TargetClass target, ClassPatch patch) {
        Map<String, MethodDescription> implemented = new HashMap<>();
        for (Accessors accessors : patch.interfaces()) {
            target.requireImplementable(accessors);
            builder = builder.implement(accessors.type());
            for (Member member : accessors.members()) {
                MethodDescription other =
                        implemented.put(Signature.of(member.method()), member.method());
                if (other != null) {
                    throw new WeaveException(
                            target.type().getName()
                                    + " would implement "
                                    + Signature.of(member.method())
                                    + " twice: expected it in one interface, found "
                                    + Signature.ofMember(other)
                                    + " and "
                                    + Signature.ofMember(member.method())
                                    + ".");
                }
                builder =
                        builder.method(is(member.method()))
                                .intercept(implementation(target, member));
            }
        }
        return builder;
    }

    private static Implementation implementation(TargetClass target, Member member) {
        if (member.kind() == Kind.CALLS) {
            return MethodCall.invoke(target.called(member)).withAllArguments();
        }
        return FieldAccessor.ofField(target.accessed(member).getName()).in(target.type());
    }
}
