// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patches that do not fit their class, or are not written as a patch: nothing is woven. */
class RefusedPatchTest {

    /** A class of the product, which {@link RefusedAccessorTest} refuses to open, too. */
    static final String GAUGE =
            """
            package acme;
            public abstract class Gauge {
                private int level;
                private final long limit = level + 9L;
                private static int shared;
                public static void note(int n) {}
                public static void note(int n, String text) {}
                public static String name(int n) { return "stock"; }
                public void raise(int by) {}
                public int size() { return 1; }
                public static boolean known(String name) { return true; }
                public static void store(int n) throws java.io.IOException {}
                public static native void measure(int n);
                public abstract void reset();
                public final int boostTaken() { return 1; }
            }
            """;

    /** A well-formed patch, so that only the other one of two can be at fault. */
    private static final String NOTE =
            "@Replaces public static boolean note(int n) { return true; }";

    private static final String NAME =
            "@Replaces public static Object name(int n) { return HandOver.TO_STOCK; }";

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8).stock(GAUGE, "package acme; public class Valve {}");
    }

    private void refused(String patch, String... parts) throws IOException {
        acme.patch(patch).isRefusedWith(parts);
    }

    private static Map<String, byte[]> withSecondName(Map<String, byte[]> files) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(files.get("acme/Gauge.class"))
                .accept(
                        new ClassVisitor(Opcodes.ASM9, writer) {
                            @Override
                            public void visitEnd() {
                                visitMethod(
                                                Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC,
                                                "name",
                                                "(I)Ljava/lang/Number;",
                                                null,
                                                null)
                                        .visitEnd();
                                super.visitEnd();
                            }
                        },
                        0);
        files.put("acme/Gauge.class", writer.toByteArray());
        return files;
    }

    @Nested
    class Replacing {

        @Test
        void noMethodOfThatName() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static boolean jot(int n) { return true; }"),
                    "acme.Gauge: expected static method jot(int)void",
                    "for acme.boost.GaugePatch.jot(int)boolean",
                    "found []");
        }

        @Test
        void sameNameOtherParameters() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static boolean note(long n) { return true; }"),
                    "acme.Gauge: expected static method note(long)void",
                    "found [static note(int)void, static note(int,java.lang.String)void]");
        }

        @Test
        void sameParametersOtherResult() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static boolean name(int n) { return true; }"),
                    "acme.Gauge: expected static method name(int)void",
                    "found [static name(int)java.lang.String]");
        }

        @Test
        void staticPatchOfAnInstanceMethod() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces public static boolean raise(int by) { return true; }"),
                    "acme.Gauge: expected static method raise(int)void",
                    "found [instance raise(int)void]");
        }

        @Test
        void instancePatchOfAStaticMethod() throws IOException {
            refused(
                    Acme.replacing(
                            "public interface Memory {}",
                            "@Replaces",
                            "public static boolean note(Memory gauge, int n) { return true; }"),
                    "acme.Gauge: expected instance method note(int)void",
                    "found [static note(int)void, static");
        }

        /** The class itself is no receiver: what is seen of it is said in an interface. */
        @Test
        void instancePatchThatTakesTheClass() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces",
                            "public static boolean raise(Gauge gauge, int by) { return true; }"),
                    "acme.Gauge: expected static method raise(acme.Gauge,int)void",
                    "found [instance raise(int)void]");
        }

        @Test
        void receiverOfAnotherTarget() throws IOException {
            acme.patch(
                    "package acme.boost; import org.flinkboost.weaver.patch.*;"
                            + " @Patches(\"acme.Valve\") public interface ValveMemory {}",
                    Acme.replacing(
                            "@Replaces public static boolean raise(ValveMemory gauge, int by) {",
                            "    return true;",
                            "}"));
            acme.isRefusedWith(
                    "acme.Gauge: expected static method raise(acme.boost.ValveMemory,int)void",
                    "found [instance raise(int)void]");
        }

        @Test
        void abstractMethod() throws IOException {
            refused(
                    Acme.replacing(
                            "public interface Memory {}",
                            "@Replaces",
                            "public static boolean reset(Memory gauge) { return true; }"),
                    "acme.Gauge: expected instance method reset()void",
                    "found [instance abstract reset()void]");
        }

        @Test
        void nativeMethod() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces public static boolean measure(int n) { return true; }"),
                    "acme.Gauge: expected static method measure(int)void",
                    "found [static native measure(int)void]");
        }

        @Test
        void exceptionThatTheMethodDoesNotDeclare() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces public static boolean store(int n)",
                            "throws java.util.concurrent.TimeoutException { return true; }"),
                    "acme.boost.GaugePatch.store(int)boolean throws"
                            + " java.util.concurrent.TimeoutException,"
                            + " which acme.Gauge.store(int)void does not declare");
        }

        /** What its callers may expect, and what nobody has to declare. */
        @Test
        void exceptionsThatItsCallersCanTellAreNone() throws IOException {
            acme.patch(
                    Acme.replacing(
                            "@Replaces public static boolean store(int n)",
                            "throws java.io.EOFException, IllegalStateException, Error",
                            "{ return true; }"));
            acme.weave().succeeds();
        }

        @Test
        void methodReplacedTwice() throws IOException {
            String second =
                    Acme.replacing(NOTE).replace("final class GaugePatch", "final class Second");
            acme.patch(Acme.replacing(NOTE), second);
            acme.isRefusedWith(
                    "acme.Gauge.note(int)void is replaced twice",
                    "expected one @Replaces method",
                    "found acme.boost.GaugePatch.note(int)boolean and"
                            + " acme.boost.Second.note(int)boolean");
        }

        @Test
        void patchThatIsNotPublic() throws IOException {
            refused(
                    Acme.replacing("@Replaces static boolean note(int n) { return true; }"),
                    "acme.boost.GaugePatch.note(int)boolean must be public and static");
        }

        @Test
        void patchThatIsNotStatic() throws IOException {
            refused(
                    Acme.replacing("@Replaces public boolean note(int n) { return true; }"),
                    "acme.boost.GaugePatch.note(int)boolean must be public and static");
        }

        @Test
        void patchInAClassThatIsNotPublic() throws IOException {
            refused(
                    Acme.replacing(NOTE).replace("public final class", "final class"),
                    "acme.boost.GaugePatch.note(int)boolean",
                    "in a public class");
        }

        @Test
        void classWithoutReplacements() throws IOException {
            refused(
                    Acme.replacing("public static boolean note(int n) { return true; }"),
                    "acme.boost.GaugePatch patches acme.Gauge but replaces none of its methods");
        }

        @Test
        void annotationOfAnInterfaceInAClass() throws IOException {
            refused(
                    Acme.replacing(NOTE, "@Reads(\"level\") public int level() { return 1; }"),
                    "acme.boost.GaugePatch.level()int carries @Reads",
                    "expected an interface");
        }

        /**
         * Which of two results is meant a patch cannot say; Java's own compiler makes none such.
         */
        @Test
        void twoMethodsThatDifferInTheirResult() throws IOException {
            acme.patch(Acme.replacing(NAME), Acme.HAND_OVER);
            acme.stock(withSecondName(Acme.files(acme.root.resolve("stock"))));
            acme.isRefusedWith(
                    "acme.Gauge: expected one static method name(int) that returns an object",
                    "found [static name(int)java.lang.String, static name(int)java.lang.Number]");
        }
    }

    /** How a patch says that stock is to do it depends on the result; a primitive has no way. */
    @Nested
    class HandingOver {

        @Test
        void resultWithoutHandOverField() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static Object name(int n) { return null; }"),
                    "acme.boost.GaugePatch.name(int)java.lang.Object",
                    "needs one @HandOver field among all patches, found []");
        }

        @Test
        void twoHandOverFields() throws IOException {
            acme.patch(
                    Acme.replacing(NAME),
                    Acme.HAND_OVER,
                    Acme.HAND_OVER.replace("class HandOver", "class Second"));
            acme.isRefusedWith(
                    "needs one @HandOver field among all patches, found [public static final"
                            + " java.lang.Object acme.boost.HandOver.TO_STOCK, public static final"
                            + " java.lang.Object acme.boost.Second.TO_STOCK]");
        }

        @ParameterizedTest
        @CsvSource({
            "public static final Object, public static Object",
            "public static final Object, static final Object",
            "public static final Object, public final Object",
            "public static final Object, public static final CharSequence",
            "public final class, final class",
        })
        void handOverFieldThatWovenCodeCannotUse(String from, String to) throws IOException {
            acme.patch(Acme.replacing(NOTE), Acme.HAND_OVER.replace(from, to));
            acme.isRefusedWith(
                    "The @HandOver field is ",
                    "acme.boost.HandOver.TO_STOCK",
                    "expected a public static final java.lang.Object in a public class");
        }

        @Test
        void patchThatReturnsTheTypeItself() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static String name(int n) { return null; }"),
                    "acme.boost.GaugePatch.name(int)java.lang.String returns java.lang.String",
                    "or java.lang.Object in front of one that returns an object");
        }

        @Test
        void patchThatReturnsVoid() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static void note(int n) {}"),
                    "acme.boost.GaugePatch.note(int)void returns void",
                    "expected boolean in front of a void method");
        }

        @Test
        void patchThatReturnsAPrimitive() throws IOException {
            refused(
                    Acme.replacing(
                            "public interface Memory {}",
                            "@Replaces public static int size(Memory gauge) { return -1; }"),
                    "acme.boost.GaugePatch.size(acme.boost.GaugePatch$Memory)int returns int",
                    "a method that returns a primitive cannot be replaced");
        }

        @Test
        void patchOfAMethodThatReturnsBoolean() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces public static boolean known(String name) { return false; }"),
                    "acme.Gauge: expected static method known(java.lang.String)void",
                    "for acme.boost.GaugePatch.known(java.lang.String)boolean",
                    "found [static known(java.lang.String)boolean]",
                    "a method that returns a primitive cannot be replaced");
        }

        @Test
        void objectInFrontOfAPrimitive() throws IOException {
            acme.patch(
                    Acme.replacing(
                            "public interface Memory {}",
                            "@Replaces public static Object size(Memory gauge) { return null; }"),
                    Acme.HAND_OVER);
            acme.isRefusedWith(
                    "acme.Gauge: expected instance method size() that returns an object",
                    "found [instance size()int]",
                    "a method that returns a primitive cannot be replaced");
        }
    }
}
