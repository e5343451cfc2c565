// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.JavaSources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Class files of two releases: when one may stand for the other, and when not. */
class EqualClassesTest {

    private static final String GAUGE =
            """
            package acme;
            public class Gauge {
                private static final int LIMIT = 300;
                private int level = 3;
                @Deprecated
                public int level() throws java.io.IOException {
                    return level;
                }
                public String describe(int by) {
                    java.util.function.IntSupplier sum = () -> level + by;
                    java.util.function.IntSupplier product = () -> level * by;
                    switch (by) {
                        case 1: return "one " + sum.getAsInt();
                        default: return "many " + product.getAsInt();
                    }
                }
                void unused() {
                    level++;
                }
                int limit() {
                    return LIMIT;
                }
            }
            """;

    @TempDir Path folder;
    private int compiled;

    private byte[] compiled(String source, int release, String... options) throws IOException {
        Path out = folder.resolve("compiled-" + compiled++);
        JavaSources.compileWith(List.of(options), out, release, List.of(), source);
        return Files.readAllBytes(out.resolve("acme/Gauge.class"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-g:none", "-g", "-g:vars"})
    void whatIsForDebuggersMayDiffer(String option) throws IOException {
        byte[] stock = compiled(GAUGE, 11, "-g:lines,source");
        byte[] other = compiled("\n\n" + GAUGE, 11, option);
        assertThat(other).isNotEqualTo(stock);
        assertThat(EqualClasses.difference(stock, other)).isEmpty();
    }

    @Test
    void lambdasMayHaveOtherNumbers() throws IOException {
        byte[] other = compiled(GAUGE, 11);
        String text = new String(other, StandardCharsets.ISO_8859_1);
        byte[] renumbered =
                text.replace("lambda$describe$0", "lambda$describe$7")
                        .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(renumbered).isNotEqualTo(other);
        assertThat(EqualClasses.difference(other, renumbered)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "private int level = 3 | private volatile int level = 3",
                "int level = 3 | int level = 4",
                "private int level = 3 | protected int level = 3",
                "LIMIT = 300 | LIMIT = 301",
                "@Deprecated |",
                "throws java.io.IOException | throws java.io.UncheckedIOException",
                "public class Gauge | public final class Gauge",
                "class Gauge | class Gauge implements Cloneable",
                "level + by | level - by",
                "sum.getAsInt() | product.getAsInt()",
                "one | eins",
                "case 1: | case 2:",
                "level++ | level--",
                "void unused() { level++; } |",
                "int limit() | synchronized int limit()",
            })
    void whateverAProgramCanSeeIsADifference(String was, String is) throws IOException {
        String flat = GAUGE.replaceAll("\\s+", " ");
        assertThat(flat).contains(was);
        byte[] stock = compiled(flat, 11);
        byte[] other = compiled(flat.replace(was, is == null ? "" : is), 11);
        assertThat(EqualClasses.difference(stock, other)).isPresent();
        assertThat(EqualClasses.difference(other, stock)).isPresent();
        assertThat(EqualClasses.difference(other, other)).isEmpty();
    }

    /** Of a number the compiler of any JDK does not ask for the text by itself. */
    @Test
    void theTextOfTheLastPartMayBeAskedForEarlier() throws IOException {
        String number = "Integer.valueOf(by)";
        String asked = "String.valueOf(" + number + ")";
        String last = GAUGE.replace("sum.getAsInt()", number + " + \" or\\\" so\"");
        assertThat(difference(last, last.replace(number, asked), 11)).isEmpty();
        assertThat(difference(last, last.replace(number, asked), 8)).isPresent();
        String first = GAUGE.replace("sum.getAsInt()", number + " + sum.getAsInt()");
        assertThat(difference(first, first.replace(number, asked), 11)).isPresent();
    }

    /** A compiler asks every object for its text; a program may do more with a builder. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "new StringBuilder().append(name).toString() |"
                        + " new StringBuilder().append((Object) name).toString()",
                "\"a\" + text.append(\"c\") + by | \"a\" + \"c\" + text + by",
                "\"a\" + String.valueOf(text.append(\"c\")) | \"ac\" + String.valueOf(text)",
            })
    void buildersOfAProgramAreNoConcatenation(String was, String is) throws IOException {
        String source =
                "package acme; public class Gauge {"
                        + " public String describe(int by, char[] name, StringBuilder text) {"
                        + " return WHAT; } }";
        assertThat(difference(source.replace("WHAT", was), source.replace("WHAT", is), 8))
                .isPresent();
    }

    /** What is behind the builder on the stack reaches down to it with what comes above. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "use(new StringBuilder().append(\"a\"), by); return text.append(\"c\").toString();"
                        + " | use(new StringBuilder(), by);"
                        + " return text.append(\"ac\").toString();",
                "use(by > 1 ? new StringBuilder().append(\"a\") : null, by);"
                        + " return text.append(\"c\").toString();"
                        + " | use(by > 1 ? new StringBuilder() : null, by);"
                        + " return text.append(\"ac\").toString();",
            })
    void builderThatIsHandedOnBelowOthersIsNoConcatenation(String was, String is)
            throws IOException {
        String source =
                "package acme; public class Gauge {"
                        + " static void use(Object object, int by) {}"
                        + " public String describe(int by, StringBuilder text) { WHAT } }";
        assertThat(difference(source.replace("WHAT", was), source.replace("WHAT", is), 8))
                .isPresent();
    }

    @Test
    void anotherKindOfMethodHandleIsADifference() throws IOException {
        byte[] stock = compiled(REFERENCE, 11);
        assertThat(EqualClasses.difference(stock, withHandles(stock, Opcodes.H_INVOKEVIRTUAL)))
                .isEmpty();
        assertThat(EqualClasses.difference(stock, withHandles(stock, Opcodes.H_INVOKESPECIAL)))
                .isPresent();
    }

    private static final String REFERENCE =
            "package acme; public class Gauge { java.util.function.ToIntFunction<String> size() {"
                    + " return String::length; } }";

    /** Each reference to {@code String.length} by that kind of a handle; the rest written anew. */
    private static byte[] withHandles(byte[] classFile, int kind) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(classFile)
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API, writer) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String type, String s, String[] e) {
                                return new MethodVisitor(
                                        OpenedClassReader.ASM_API,
                                        super.visitMethod(access, name, type, s, e)) {
                                    @Override
                                    public void visitInvokeDynamicInsn(
                                            String n, String t, Handle by, Object... with) {
                                        Object[] others = with.clone();
                                        others[1] =
                                                new Handle(
                                                        kind,
                                                        "java/lang/String",
                                                        "length",
                                                        "()I",
                                                        false);
                                        super.visitInvokeDynamicInsn(n, t, by, others);
                                    }
                                };
                            }
                        },
                        0);
        return writer.toByteArray();
    }

    @Test
    void anotherMethodThatLinksACallIsADifference() throws IOException {
        String stock = new String(compiled(GAUGE, 11), StandardCharsets.ISO_8859_1);
        byte[] other =
                stock.replace("\u0000\u000bmetafactory", "\u0000\u000bmetafactorx")
                        .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(EqualClasses.difference(compiled(GAUGE, 11), other)).isPresent();
    }

    private Optional<String> difference(String first, String second, int release)
            throws IOException {
        return EqualClasses.difference(compiled(first, release), compiled(second, release));
    }

    @Test
    void twoLambdasInEachOthersPlaceAreADifference() throws IOException {
        String swapped =
                GAUGE.replace("level + by", "level ~ by")
                        .replace("level * by", "level + by")
                        .replace("level ~ by", "level * by");
        assertThat(EqualClasses.difference(compiled(GAUGE, 11), compiled(swapped, 11))).isPresent();
    }

    @Test
    void anotherVersionOfTheClassFileIsADifference() throws IOException {
        assertThat(EqualClasses.difference(compiled(GAUGE, 11), compiled(GAUGE, 17)))
                .contains("the version of the class file");
    }

    @Test
    void lambdasThatAreSerializedCountAsDifferent() throws IOException {
        String serialized =
                GAUGE.replace(
                        "java.util.function.IntSupplier sum = ()",
                        "java.util.function.IntSupplier sum ="
                                + " (java.util.function.IntSupplier & java.io.Serializable) ()");
        byte[] stock = compiled(serialized, 11);
        assertThat(EqualClasses.difference(stock, stock)).isEmpty();
        assertThat(EqualClasses.difference(stock, compiled(serialized, 11, "-g:none")))
                .contains("lambdas that are serialized");
    }

    @Test
    void programAnswersWithALineForEachPair() throws IOException {
        Path one = Files.write(folder.resolve("one"), compiled(GAUGE, 11));
        Path same = Files.write(folder.resolve("same"), compiled(GAUGE, 11, "-g:none"));
        Path other = Files.write(folder.resolve("other"), compiled(GAUGE, 8));
        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true));
        try {
            EqualClassesMain.main(
                    new String[] {
                        one.toString(), same.toString(), one.toString(), other.toString()
                    });
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString()).isEqualTo("\nthe version of the class file\n");
    }
}
