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
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Makes one method of a drop-in jar slower. Arguments: the jar, the slower jar, rounds.
 *
 * <p>A call of the method first counts so many rounds in a volatile field, which no compiler may
 * leave out and no processor does beside the method's own work.
 */
final class WeaveDelay {

    private static final String OWNER = "org/apache/flink/boost/strings/StringWriter";
    private static final String SLOWED = "write";
    private static final String FIELD = "boostDelay";
    private static final String DELAY = "delay";

    public static void main(String[] arguments) throws IOException {
        int rounds = Integer.parseInt(arguments[2]);
        try (ZipFile in = new ZipFile(arguments[0]);
                ZipOutputStream out =
                        new ZipOutputStream(Files.newOutputStream(Path.of(arguments[1])))) {
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] content;
                try (InputStream stream = in.getInputStream(entry)) {
                    content = stream.readAllBytes();
                }
                boolean wanted = entry.getName().equals(OWNER + ".class");
                // Of the same time always: equal rounds give equal bytes.
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                out.write(wanted ? slower(content, rounds) : content);
                out.closeEntry();
            }
        }
    }

    private static byte[] slower(byte[] content, int rounds) {
        ClassReader reader = new ClassReader(content);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Slowing slowing = new Slowing(writer, rounds);
        reader.accept(slowing, 0);
        if (slowing.slowed != 1) {
            throw new IllegalStateException(OWNER + " has " + slowing.slowed + " " + SLOWED);
        }
        return writer.toByteArray();
    }

    private static final class Slowing extends ClassVisitor {

        private final int rounds;
        private int slowed;

        Slowing(ClassVisitor next, int rounds) {
            super(Opcodes.ASM9, next);
            this.rounds = rounds;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, method, descriptor, signature, thrown);
            if (!method.equals(SLOWED)) {
                return next;
            }
            slowed++;
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, OWNER, DELAY, "()V", false);
                }
            };
        }

        @Override
        public void visitEnd() {
            int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC;
            super.visitField(access | Opcodes.ACC_VOLATILE, FIELD, "I", null, null).visitEnd();
            MethodVisitor method = super.visitMethod(access, DELAY, "()V", null, null);
            Label again = new Label();
            Label end = new Label();
            method.visitCode();
            method.visitInsn(Opcodes.ICONST_0);
            method.visitVarInsn(Opcodes.ISTORE, 0);
            method.visitLabel(again);
            method.visitFrame(Opcodes.F_APPEND, 1, new Object[] {Opcodes.INTEGER}, 0, null);
            method.visitVarInsn(Opcodes.ILOAD, 0);
            method.visitLdcInsn(rounds);
            method.visitJumpInsn(Opcodes.IF_ICMPGE, end);
            method.visitFieldInsn(Opcodes.GETSTATIC, OWNER, FIELD, "I");
            method.visitVarInsn(Opcodes.ILOAD, 0);
            method.visitInsn(Opcodes.IADD);
            method.visitFieldInsn(Opcodes.PUTSTATIC, OWNER, FIELD, "I");
            method.visitIincInsn(0, 1);
            method.visitJumpInsn(Opcodes.GOTO, again);
            method.visitLabel(end);
            method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
            method.visitInsn(Opcodes.RETURN);
            method.visitMaxs(0, 0);
            method.visitEnd();
            super.visitEnd();
        }
    }
}
