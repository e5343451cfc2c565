// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.bytecode.ByteCodeAppender;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.implementation.bytecode.member.MethodReturn;
import net.bytebuddy.implementation.bytecode.member.MethodVariableAccess;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Replacement;

/**
 * A body that asks ours first and then stock's.
 *
 * <pre>
 *   if (FAMILY) { result = ours(args); if (result is not "hand over") return result; }
 *   return stock(args);
 * </pre>
 *
 * The switch is a static final boolean, so the JIT compiler removes the branch that is not taken.
 */
final class FrontedMethod implements Implementation {

    private final Replacement replacement;
    private final FamilySwitches switches;
    private final String family;

    FrontedMethod(Replacement replacement, FamilySwitches switches, String family) {
        this.replacement = replacement;
        this.switches = switches;
        this.family = family;
    }

    @Override
    public InstrumentedType prepare(InstrumentedType instrumentedType) {
        return instrumentedType;
    }

    @Override
    public ByteCodeAppender appender(Target target) {
        return (visitor, context, method) -> {
            StackManipulation stock =
                    new StackManipulation.Compound(
                            arguments(method), target.invokeSuper(method.asSignatureToken()));
            if (!stock.isValid()) {
                throw new WeaveException(
                        "Cannot keep stock's body of " + Signature.of(method) + ".");
            }
            Label stockLabel = new Label();
            switches.visitTest(visitor, family, stockLabel);
            int arguments = apply(arguments(method), visitor, context);
            apply(MethodInvocation.invoke(replacement.method()), visitor, context);
            returnUnlessHandedOver(visitor, method, stockLabel);
            visitor.visitLabel(stockLabel);
            apply(stock, visitor, context);
            apply(MethodReturn.of(method.getReturnType()), visitor, context);
            // At least our result, its copy and the value to compare with.
            return new ByteCodeAppender.Size(Math.max(arguments, 3), method.getStackSize());
        };
    }

    private void returnUnlessHandedOver(
            MethodVisitor visitor, MethodDescription method, Label stockLabel) {
        if (replacement.handOver().isEmpty()) {
            visitor.visitJumpInsn(Opcodes.IFEQ, stockLabel);
            visitor.visitInsn(Opcodes.RETURN);
            return;
        }
        var field = replacement.handOver().get();
        Label handedOver = new Label();
        visitor.visitInsn(Opcodes.DUP);
        visitor.visitFieldInsn(
                Opcodes.GETSTATIC,
                field.getDeclaringType().asErasure().getInternalName(),
                field.getName(),
                field.getDescriptor());
        visitor.visitJumpInsn(Opcodes.IF_ACMPEQ, handedOver);
        TypeDescription returned = method.getReturnType().asErasure();
        if (!returned.represents(Object.class)) {
            visitor.visitTypeInsn(Opcodes.CHECKCAST, returned.getInternalName());
        }
        visitor.visitInsn(Opcodes.ARETURN);
        visitor.visitLabel(handedOver);
        visitor.visitInsn(Opcodes.POP);
    }

    private static StackManipulation arguments(MethodDescription method) {
        return method.isStatic()
                ? MethodVariableAccess.allArgumentsOf(method)
                : MethodVariableAccess.allArgumentsOf(method).prependThisReference();
    }

    private static int apply(
            StackManipulation manipulation, MethodVisitor visitor, Context context) {
        return manipulation.apply(visitor, context).getMaximalSize();
    }
}
