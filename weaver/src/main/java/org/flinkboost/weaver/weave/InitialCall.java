// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.field.FieldList;
import net.bytebuddy.description.method.MethodList;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.line.FamilySwitches;

/**
 * Lets a woven class ask the {@link FamilySwitches} first of all, when it is initialised: whichever
 * of them a program uses first, it is asked, also one whose methods never read a switch.
 */
final class InitialCall extends AsmVisitorWrapper.AbstractBase {

    private static final String INITIALISER = "<clinit>";

    private final FamilySwitches switches;

    InitialCall(FamilySwitches switches) {
        this.switches = switches;
    }

    @Override
    public ClassVisitor wrap(
            TypeDescription type,
            ClassVisitor next,
            Implementation.Context context,
            TypePool pool,
            FieldList<FieldDescription.InDefinedShape> fields,
            MethodList<?> methods,
            int writerFlags,
            int readerFlags) {
        return new ClassVisitor(OpenedClassReader.ASM_API, next) {
            private boolean done;

            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String generic, String[] thrown) {
                MethodVisitor method = super.visitMethod(access, name, descriptor, generic, thrown);
                if (!name.equals(INITIALISER)) {
                    return method;
                }
                done = true;
                return new MethodVisitor(OpenedClassReader.ASM_API, method) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        switches.visitCall(this);
                    }
                };
            }

            @Override
            public void visitEnd() {
                if (!done) {
                    MethodVisitor method =
                            visitMethod(Opcodes.ACC_STATIC, INITIALISER, "()V", null, null);
                    method.visitCode();
                    method.visitInsn(Opcodes.RETURN);
                    method.visitMaxs(0, 0);
                    method.visitEnd();
                }
                super.visitEnd();
            }
        };
    }
}
