// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Patches that do not fit their class, or are not written as a patch: nothing is woven. */
class RefusedPatchTest {

    private static final String GAUGE =
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

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8).stock(GAUGE, "package acme; public class Valve {}");
    }

    private void refused(String patch, String... parts) throws IOException {
        acme.patch(patch).isRefusedWith(parts);
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
                    Acme.replacing(
                            "@HandOver public static final Object STOCK = null;",
                            "@Replaces public static Object name(int n) { return STOCK; }"),
                    "acme.Gauge: expected static method name(int)java.lang.Object",
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
                            "@Replaces(instance = true)",
                            "public static boolean note(Gauge gauge, int n) { return true; }"),
                    "acme.Gauge: expected instance method note(int)void",
                    "found [static note(int)void, static");
        }

        @Test
        void instancePatchWithoutReceiver() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces(instance = true)",
                            "public static boolean raise(int by) { return true; }"),
                    "acme.boost.GaugePatch.raise(int)boolean",
                    "must take the receiver, acme.Gauge, first");
        }

        @Test
        void abstractMethod() throws IOException {
            refused(
                    Acme.replacing(
                            "@Replaces(instance = true)",
                            "public static boolean reset(Gauge gauge) { return true; }"),
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
    }

    /** How a patch says that stock is to do it depends on the result; a primitive has no way. */
    @Nested
    class HandingOver {

        @Test
        void resultWithoutHandOverField() throws IOException {
            refused(
                    Acme.replacing("@Replaces public static String name(int n) { return null; }"),
                    "acme.boost.GaugePatch.name(int)java.lang.String",
                    "needs one @HandOver field of type java.lang.String, found []");
        }

        @Test
        void handOverFieldOfAnotherType() throws IOException {
            refused(
                    Acme.replacing(
                            "@HandOver public static final Object STOCK = null;",
                            "@Replaces public static String name(int n) { return null; }"),
                    "acme.boost.GaugePatch.name(int)java.lang.String",
                    "needs one @HandOver field of type java.lang.String, found []");
        }

        @Test
        void twoHandOverFields() throws IOException {
            refused(
                    Acme.replacing(
                            "@HandOver public static final String A = \"a\", B = \"b\";",
                            "@Replaces public static String name(int n) { return null; }"),
                    "needs one @HandOver field of type java.lang.String, found [A, B]");
        }

        @Test
        void handOverFieldThatMayChange() throws IOException {
            refused(
                    Acme.replacing(
                            "@HandOver public static String stock = \"a\";",
                            "@Replaces public static String name(int n) { return null; }"),
                    "acme.boost.GaugePatch.name(int)java.lang.String",
                    "needs a public static final @HandOver field, found public static stock");
        }

        @Test
        void handOverFieldThatWovenCodeMayNotSee() throws IOException {
            refused(
                    Acme.replacing(
                            "@HandOver static final String STOCK = \"a\";",
                            "@Replaces public static String name(int n) { return null; }"),
                    "needs a public static final @HandOver field, found static final STOCK");
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
                            "@HandOver public static final int STOCK = -1;",
                            "@Replaces(instance = true)",
                            "public static int size(Gauge gauge) { return STOCK; }"),
                    "acme.boost.GaugePatch.size(acme.Gauge)int returns int",
                    "a method that returns a primitive cannot be replaced");
        }

        @Test
        void patchOfAMethodThatReturnsBoolean() throws IOException {
            refused(
                    Acme.replacing(
                            "@HandOver public static final boolean STOCK = false;",
                            "@Replaces public static boolean known(String name) { return STOCK; }"),
                    "acme.Gauge: expected static method known(java.lang.String)void",
                    "for acme.boost.GaugePatch.known(java.lang.String)boolean",
                    "found [static known(java.lang.String)boolean]",
                    "a method that returns a primitive cannot be replaced");
        }
    }

    @Nested
    class Implementing {

        @Test
        void fieldThatIsMissing() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"height\") int boostHeight();"),
                    "acme.Gauge: expected instance field int height",
                    "for acme.boost.GaugeAccess.boostHeight()int",
                    "found [instance int level, instance final long limit, static int shared]");
        }

        @Test
        void fieldOfAnotherType() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") long boostLevel();"),
                    "acme.Gauge: expected instance field long level",
                    "for acme.boost.GaugeAccess.boostLevel()long",
                    "found [instance int level,");
        }

        /** Only what is an object can be read as one. */
        @Test
        void primitiveFieldAsObject() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") Object boostLevel();"),
                    "acme.Gauge: expected instance field java.lang.Object level",
                    "found [instance int level,");
        }

        @Test
        void fieldWrittenAsObject() throws IOException {
            refused(
                    Acme.accessing("@Writes(\"level\") void boostLevel(Object level);"),
                    "acme.Gauge: expected non-final instance field java.lang.Object level",
                    "found [instance int level,");
        }

        @Test
        void staticField() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"shared\") int boostShared();"),
                    "acme.Gauge: expected instance field int shared",
                    "static int shared");
        }

        @Test
        void finalFieldThatWouldBeWritten() throws IOException {
            refused(
                    Acme.accessing("@Writes(\"limit\") void boostLimit(long limit);"),
                    "acme.Gauge: expected non-final instance field long limit",
                    "for acme.boost.GaugeAccess.boostLimit(long)void",
                    "instance final long limit");
        }

        @Test
        void calledMethodThatIsMissing() throws IOException {
            refused(
                    Acme.accessing("@Calls(\"lower\") void boostLower(int by);"),
                    "acme.Gauge: expected instance method lower(int)void",
                    "for acme.boost.GaugeAccess.boostLower(int)void",
                    "instance raise(int)void");
        }

        @Test
        void calledMethodWithOtherParameters() throws IOException {
            refused(
                    Acme.accessing("@Calls(\"raise\") void boostRaise(long by);"),
                    "acme.Gauge: expected instance method raise(long)void",
                    "instance raise(int)void");
        }

        @Test
        void calledMethodThatIsStatic() throws IOException {
            refused(
                    Acme.accessing("@Calls(\"note\") void boostNote(int n);"),
                    "acme.Gauge: expected instance method note(int)void",
                    "static note(int)void");
        }

        @Test
        void methodWithoutAnnotation() throws IOException {
            refused(
                    Acme.accessing("int boostLevel();"),
                    "acme.boost.GaugeAccess.boostLevel()int",
                    "needs exactly one of @Reads, @Writes, @Calls, found 0");
        }

        @Test
        void methodWithTwoAnnotations() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") @Calls(\"size\") int boostLevel();"),
                    "acme.boost.GaugeAccess.boostLevel()int",
                    "needs exactly one of @Reads, @Writes, @Calls, found 2");
        }

        /** Without this check the call would end in an AbstractMethodError at run time. */
        @Test
        void inheritedMethodWithoutAnnotation() throws IOException {
            acme.patch(
                    "package acme.boost; public interface Leveled { int boostLevel(); }",
                    Acme.accessing("@Reads(\"limit\") long boostLimit();")
                            .replace("GaugeAccess {", "GaugeAccess extends Leveled {"));
            acme.isRefusedWith(
                    "acme.Gauge would not implement acme.boost.Leveled.boostLevel()int",
                    "expected acme.boost.GaugeAccess to declare it",
                    "found it only inherited");
        }

        /** Without this check stock's own method would answer in place of the annotation's. */
        @Test
        void methodThatStockHasAlready() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") int boostTaken();"),
                    "acme.boost.GaugeAccess.boostTaken()int",
                    "cannot be implemented by acme.Gauge",
                    "expected no method of that name and parameters",
                    "found acme.Gauge.boostTaken()int");
        }

        @Test
        void methodOfTwoInterfaces() throws IOException {
            String access = Acme.accessing("@Reads(\"level\") int boostLevel();");
            acme.patch(access, access.replace("GaugeAccess", "Second"));
            acme.isRefusedWith(
                    "acme.Gauge would implement boostLevel()int twice",
                    "expected it in one interface",
                    "found acme.boost.GaugeAccess.boostLevel()int and"
                            + " acme.boost.Second.boostLevel()int");
        }

        @Test
        void readWithAParameter() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") int boostLevel(int n);"),
                    "acme.boost.GaugeAccess.boostLevel(int)int reads a field",
                    "expected no parameter and a result");
        }

        @Test
        void readWithoutResult() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") void boostLevel();"),
                    "acme.boost.GaugeAccess.boostLevel()void reads a field",
                    "expected no parameter and a result");
        }

        @Test
        void writeWithTwoParameters() throws IOException {
            refused(
                    Acme.accessing("@Writes(\"level\") void boostLevel(int n, int m);"),
                    "acme.boost.GaugeAccess.boostLevel(int,int)void writes a field",
                    "expected one parameter and no result");
        }

        @Test
        void annotatedMethodWithABody() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") default int boostLevel() { return 1; }"),
                    "acme.boost.GaugeAccess.boostLevel()int has a body",
                    "expected an abstract method");
        }

        @Test
        void replacementInAnInterface() throws IOException {
            refused(
                    Acme.accessing("@Replaces static boolean note(int n) { return true; }"),
                    "acme.boost.GaugeAccess.note(int)boolean carries @Replaces in an interface",
                    "expected a class");
        }

        @Test
        void interfaceThatIsNotPublic() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") int boostLevel();")
                            .replace("public interface", "interface"),
                    "acme.boost.GaugeAccess must be a public interface");
        }
    }

    @Nested
    class Targeting {

        @Test
        void noneOfTheLinesClasses() throws IOException {
            acme.classSum("acme.Gauge", null);
            refused(
                    Acme.replacing(NOTE),
                    "acme.boost.GaugePatch patches [acme.Gauge]",
                    "expected exactly one of them among the classes of line 1.4.2",
                    "found []");
        }

        @Test
        void twoOfTheLinesClasses() throws IOException {
            refused(
                    Acme.replacing(NOTE)
                            .replace("(\"acme.Gauge\")", "({\"acme.Gauge\", \"acme.Valve\"})"),
                    "acme.boost.GaugePatch patches [acme.Gauge, acme.Valve]",
                    "expected exactly one of them",
                    "found [acme.Gauge, acme.Valve]");
        }

        /** The same names where only one of them belongs to the line: that one is woven. */
        @Test
        void oneOfTwoNamesIsTheLinesClass() throws IOException {
            acme.classSum("acme.Valve", null);
            acme.patch(
                            Acme.replacing(NOTE)
                                    .replace(
                                            "(\"acme.Gauge\")",
                                            "({\"acme.Valve\", \"acme.Gauge\"})"))
                    .weave()
                    .succeeds();
        }

        @Test
        void noPatchAtAll() throws IOException {
            refused(
                    "package acme.boost; public class Plain {}",
                    "There is no @Patches type in " + acme.patches());
        }

        @Test
        void emptyFolder() throws IOException {
            Files.createDirectories(acme.patches());
            acme.isRefusedWith("There is no @Patches type in " + acme.patches());
        }

        @Test
        void replacementInATypeWithoutPatches() throws IOException {
            refused(
                    Acme.replacing(NOTE).replace("@Patches(\"acme.Gauge\")", ""),
                    "acme.boost.GaugePatch.note(int)boolean carries @Replaces",
                    "in a type without @Patches");
        }

        @Test
        void accessorInATypeWithoutPatches() throws IOException {
            refused(
                    Acme.accessing("@Reads(\"level\") int boostLevel();")
                            .replace("@Patches(\"acme.Gauge\")", ""),
                    "acme.boost.GaugeAccess.boostLevel()int carries @Reads",
                    "in a type without @Patches");
        }
    }
}
