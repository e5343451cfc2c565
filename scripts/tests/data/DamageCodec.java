// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Damages the codec in a drop-in jar. Arguments: the jar, the damaged jar, and how: with {@code
 * write} or {@code read}, U+A123 is written, or read, as U+A122; with {@code share}, equal strings
 * of no or one character of Latin-1 are read as one object.
 */
final class DamageCodec {

    private static final String PACKAGE = "org/apache/flink/boost/";

    public static void main(String[] arguments) throws IOException {
        Kind kind = Kind.valueOf(arguments[2].toUpperCase(Locale.ROOT));
        String damaged = PACKAGE + kind.holder + ".class";
        try (ZipFile in = new ZipFile(arguments[0]);
                ZipOutputStream out =
                        new ZipOutputStream(Files.newOutputStream(Path.of(arguments[1])))) {
            if (in.getEntry(damaged) == null) {
                throw new IllegalStateException("There is no " + damaged);
            }
            for (ZipEntry entry : Collections.list(in.entries())) {
                byte[] content;
                try (InputStream stream = in.getInputStream(entry)) {
                    content = stream.readAllBytes();
                }
                out.putNextEntry(new ZipEntry(entry.getName()));
                out.write(entry.getName().equals(damaged) ? damage(content, kind) : content);
                out.closeEntry();
            }
        }
    }

    private static byte[] damage(byte[] content, Kind kind) {
        ClassReader reader = new ClassReader(content);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Damage damage = new Damage(writer, kind);
        reader.accept(damage, 0);
        if (!damage.methods.equals(kind.methods)) {
            throw new IllegalStateException("These methods were damaged: " + damage.methods);
        }
        return writer.toByteArray();
    }

    /** What is damaged: the methods of that name, which are there once. */
    private enum Kind {
        WRITE("strings/StringWriter", "write"),
        READ("jdk/StringAccess", "newString"),
        SHARE("jdk/ShortestStrings", "empty", "ofLatin1");

        private final String holder;
        private final List<String> methods;

        Kind(String holder, String... methods) {
            this.holder = holder;
            this.methods = List.of(methods);
        }
    }

    private static final class Damage extends ClassVisitor {

        private final Kind kind;
        private final List<String> methods = new ArrayList<>();

        Damage(ClassVisitor next, Kind kind) {
            super(Opcodes.ASM9, next);
            this.kind = kind;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] thrown) {
            MethodVisitor next =
                    super.visitMethod(access, method, descriptor, signature, thrown);
            if (!kind.methods.contains(method)) {
                return next;
            }
            methods.add(method);
            return new MethodVisitor(Opcodes.ASM9, next) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    if (kind == Kind.WRITE) {
                        super.visitVarInsn(Opcodes.ALOAD, 0);
                        replace();
                        super.visitVarInsn(Opcodes.ASTORE, 0);
                    }
                }

                @Override
                public void visitInsn(int opcode) {
                    if (opcode == Opcodes.ARETURN && kind == Kind.READ) {
                        replace();
                    }
                    if (opcode == Opcodes.ARETURN && kind == Kind.SHARE) {
                        call("intern", "()Ljava/lang/String;");
                    }
                    super.visitInsn(opcode);
                }

                private void replace() {
                    super.visitLdcInsn(0xA123);
                    super.visitLdcInsn(0xA122);
                    call("replace", "(CC)Ljava/lang/String;");
                }

                private void call(String method, String descriptor) {
                    super.visitMethodInsn(
                            Opcodes.INVOKEVIRTUAL, "java/lang/String", method, descriptor, false);
                }
            };
        }
    }
}
