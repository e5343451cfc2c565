// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ALOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ILOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.PUTFIELD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.RETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.V11;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.V17;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/**
 * A class of records that a test makes: a POJO or a Java record, whose constructor is witnessed.
 */
public final class MadeType {

    private final String name;
    private final boolean record;
    private final List<String> names = new ArrayList<>();
    private final List<Class<?>> types = new ArrayList<>();
    private final List<Integer> access = new ArrayList<>();
    private int classAccess = ACC_PUBLIC;
    private int constructorAccess = ACC_PUBLIC;
    private Class<?> parent = Object.class;

    private MadeType(String name, boolean record) {
        this.name = name;
        this.record = record;
    }

    public static MadeType pojo(String name) {
        return new MadeType(name, false);
    }

    public static MadeType record(String name) {
        return new MadeType(name, true);
    }

    /** Adds a field or a component; it is private, as most are. */
    public MadeType with(String field, Class<?> type) {
        return with(field, type, record ? ACC_PRIVATE | ACC_FINAL : ACC_PRIVATE);
    }

    public MadeType with(String field, Class<?> type, int flags) {
        names.add(field);
        types.add(type);
        access.add(flags);
        return this;
    }

    MadeType extending(Class<?> superclass) {
        parent = superclass;
        return this;
    }

    MadeType access(int flags) {
        classAccess = flags;
        return this;
    }

    MadeType constructorAccess(int flags) {
        constructorAccess = flags;
        return this;
    }

    /** Defines the class. */
    public Class<?> in(MadeLoader loader) {
        String self = name.replace('.', '/');
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        String superclass = record ? "java/lang/Record" : Type.getInternalName(parent);
        int flags = classAccess | ACC_SUPER | (record ? ACC_FINAL : 0);
        writer.visit(record ? V17 : V11, flags, self, null, superclass, null);
        for (int i = 0; i < names.size(); i++) {
            String descriptor = Type.getDescriptor(types.get(i));
            writer.visitField(access.get(i), names.get(i), descriptor, null, null).visitEnd();
            if (record) {
                writer.visitRecordComponent(names.get(i), descriptor, null).visitEnd();
            }
        }
        constructor(writer, self, superclass);
        writer.visitEnd();
        return loader.define(name, writer.toByteArray());
    }

    private void constructor(ClassWriter writer, String self, String superclass) {
        Type[] parameters =
                record ? types.stream().map(Type::getType).toArray(Type[]::new) : new Type[0];
        String descriptor = Type.getMethodDescriptor(Type.VOID_TYPE, parameters);
        MethodVisitor code =
                writer.visitMethod(constructorAccess, "<init>", descriptor, null, null);
        code.visitCode();
        code.visitVarInsn(ALOAD, 0);
        code.visitMethodInsn(INVOKESPECIAL, superclass, "<init>", "()V", false);
        int slot = 1;
        for (int i = 0; i < parameters.length; i++) {
            code.visitVarInsn(ALOAD, 0);
            code.visitVarInsn(parameters[i].getOpcode(ILOAD), slot);
            code.visitFieldInsn(PUTFIELD, self, names.get(i), parameters[i].getDescriptor());
            slot += parameters[i].getSize();
        }
        code.visitVarInsn(ALOAD, 0);
        code.visitMethodInsn(
                INVOKESTATIC,
                Type.getInternalName(Witness.class),
                "made",
                "(Ljava/lang/Object;)V",
                false);
        code.visitInsn(RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    /** The class loader of a job: its classes, and all others from the tests' own. */
    public static class MadeLoader extends ClassLoader {

        public MadeLoader() {
            super(MadeType.class.getClassLoader());
        }

        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
