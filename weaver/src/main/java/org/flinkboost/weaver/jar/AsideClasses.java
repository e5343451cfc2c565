// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Woven classes that a jar holds where no class loader looks, so that they do not hide a class file
 * that they do not fit: its guard defines them where they do.
 */
final class AsideClasses {

    /** Where they lie in the jar. */
    static final String FOLDER = "META-INF/flink-boost/aside/";

    /** The class that lets the guard into a package of theirs, by simple name. */
    static final String DOOR = "FlinkBoostDoor";

    private static final String LOOKUP = "java/lang/invoke/MethodHandles$Lookup";

    private AsideClasses() {}

    /** The entry of a package's door, beside a class file of that package. */
    static String doorBeside(String entry) {
        return entry.substring(0, entry.lastIndexOf('/') + 1) + DOOR + ".class";
    }

    /** A public class for Java 8 whose static {@code lookup()} has all rights in its package. */
    static byte[] door(String entry) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(
                Opcodes.V1_8,
                Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER,
                entry.substring(0, entry.length() - ".class".length()),
                null,
                "java/lang/Object",
                null);
        MethodVisitor lookup =
                writer.visitMethod(
                        Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC,
                        "lookup",
                        "()L" + LOOKUP + ";",
                        null,
                        null);
        lookup.visitCode();
        lookup.visitMethodInsn(
                Opcodes.INVOKESTATIC,
                "java/lang/invoke/MethodHandles",
                "lookup",
                "()L" + LOOKUP + ";",
                false);
        lookup.visitInsn(Opcodes.ARETURN);
        lookup.visitMaxs(1, 0);
        lookup.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }
}
