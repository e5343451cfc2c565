// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.bytecode.ByteCodeAppender;
import net.bytebuddy.implementation.bytecode.StackManipulation;
import net.bytebuddy.implementation.bytecode.member.FieldAccess;
import net.bytebuddy.implementation.bytecode.member.MethodInvocation;
import net.bytebuddy.implementation.bytecode.member.MethodReturn;
import net.bytebuddy.implementation.bytecode.member.MethodVariableAccess;
import org.flinkboost.weaver.weave.ClassPatch.Member;

/**
 * A method that reads or writes one field of {@code this}, or calls one method of it. ByteBuddy's
 * own refuses protected members of another package, which a subclass can touch in itself.
 */
final class AccessorMethod implements Implementation {

    private final Member member;

    AccessorMethod(Member member) {
        this.member = member;
    }

    @Override
    public InstrumentedType prepare(InstrumentedType instrumentedType) {
        return instrumentedType;
    }

    @Override
    public ByteCodeAppender appender(Target target) {
        return (visitor, context, method) -> {
            List<StackManipulation> steps = new ArrayList<>();
            steps.add(MethodVariableAccess.allArgumentsOf(method).prependThisReference());
            steps.add(step(new TargetMembers(target.getInstrumentedType())));
            steps.add(MethodReturn.of(method.getReturnType()));
            int height =
                    new StackManipulation.Compound(steps).apply(visitor, context).getMaximalSize();
            return new ByteCodeAppender.Size(height, method.getStackSize());
        };
    }

    private StackManipulation step(TargetMembers members) {
        switch (member.kind()) {
            case CALLS:
                return MethodInvocation.invoke(members.called(member));
            case ADDS:
                return access(members.added(member));
            default:
                return access(members.accessed(member));
        }
    }

    private StackManipulation access(FieldDescription.InDefinedShape field) {
        FieldAccess.Defined access = FieldAccess.forField(field);
        return member.sets() ? access.write() : access.read();
    }
}
