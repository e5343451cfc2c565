// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Changes one code point in a drop-in jar: U+A123 is written, or read, as U+A122. Arguments: the
 * jar, the damaged jar, {@code write} or {@code read}.
 */
final class DamageCodec {

    private static final String PACKAGE = "org/apache/flink/boost/string/";

    public static void main(String[] arguments) throws IOException {
        boolean write = arguments[2].equals("write");
        String damaged = PACKAGE + (write ? "StringWriter" : "StringAccess") + ".class";
        try (ZipFile in = new ZipFile(arguments[0]);
                ZipOutputStream out =
                        new ZipOutputStream(Files.newOutputStream(Path.of(arguments[1])))) {
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] content;
                try (InputStream stream = in.getInputStream(entry)) {
                    content = stream.readAllBytes();
                }
                out.putNextEntry(new ZipEntry(entry.getName()));
                out.write(entry.getName().equals(damaged) ? damage(content, write) : content);
                out.closeEntry();
            }
        }
    }

    private static byte[] damage(byte[] content, boolean write) {
        ClassReader reader = new ClassReader(content);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Damage damage = new Damage(writer, write ? "write" : "newString", write);
        reader.accept(damage, 0);
        if (damage.methods != 1) {
            throw new IllegalStateException(damage.methods + " methods were damaged");
        }
        return writer.toByteArray();
    }

    private static final class Damage extends ClassVisitor {

        private final String name;
        private final boolean atStart;
        private int methods;

        Damage(ClassVisitor next, String name, boolean atStart) {
            super(Opcodes.ASM9, next);
            this.name = name;
            this.atStart = atStart;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] thrown) {
            MethodVisitor next =
                    super.visitMethod(access, method, descriptor, signature, thrown);
            if (!method.equals(name)) {
                return next;
            }
            methods++;
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (atStart) {
                        super.visitVarInsn(Opcodes.ALOAD, 0);
                        replace();
                        super.visitVarInsn(Opcodes.ASTORE, 0);
                    }
                }

                @Override
                public void visitInsn(int opcode) {
                    if (!atStart && opcode == Opcodes.ARETURN) {
                        replace();
                    }
                    super.visitInsn(opcode);
                }

                private void replace() {
                    super.visitLdcInsn(0xA123);
                    super.visitLdcInsn(0xA122);
                    super.visitMethodInsn(
                            Opcodes.INVOKEVIRTUAL,
                            "java/lang/String",
                            "replace",
                            "(CC)Ljava/lang/String;",
                            false);
                }
            };
        }
    }
}
