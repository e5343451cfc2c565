// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.util.Map;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.TypeShape.Member;

/** A class file as far as it can matter: no debug information, no order, no frames. */
final class ClassForm {

    private final TypeShape shape;
    private final Map<Member, Object> constants = new TreeMap<>();
    private final Map<Member, MethodForm> methods = new TreeMap<>();

    private ClassForm(TypeShape shape) {
        this.shape = shape;
    }

    static ClassForm of(byte[] classFile) {
        ClassForm form = new ClassForm(TypeShape.of(classFile));
        OpenedClassReader.of(classFile)
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API) {
                            @Override
                            public FieldVisitor visitField(
                                    int access, String name, String type, String s, Object value) {
                                if (value != null) {
                                    form.constants.put(new Member(name, type), value);
                                }
                                return null;
                            }

                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String type, String s, String[] e) {
                                MethodForm method = new MethodForm(form.shape, access);
                                form.methods.put(new Member(name, type), method);
                                return method;
                            }
                        },
                        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return form;
    }

    /** Its name, supertypes and members. */
    TypeShape shape() {
        return shape;
    }

    /** The values of constants, as the class file holds them. */
    Map<Member, Object> constants() {
        return constants;
    }

    Map<Member, MethodForm> methods() {
        return methods;
    }
}
