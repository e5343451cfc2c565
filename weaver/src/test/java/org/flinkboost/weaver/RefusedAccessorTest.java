// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interfaces that a class cannot implement as they say: nothing is woven. */
class RefusedAccessorTest {

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme =
                new Acme(folder, 8)
                        .stock(RefusedPatchTest.GAUGE, "package acme; public class Valve {}");
    }

    private void refused(String patch, String... parts) throws IOException {
        acme.patch(patch).isRefusedWith(parts);
    }

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
                "needs exactly one of @Reads, @Writes, @Calls, @Adds, found 0");
    }

    @Test
    void methodWithTwoAnnotations() throws IOException {
        refused(
                Acme.accessing("@Reads(\"level\") @Calls(\"size\") int boostLevel();"),
                "acme.boost.GaugeAccess.boostLevel()int",
                "needs exactly one of @Reads, @Writes, @Calls, @Adds, found 2");
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
                "acme.boost.GaugeAccess.boostLevel()int cannot be implemented by acme.Gauge",
                "expected no method of that name and parameters",
                "found acme.boost.Second.boostLevel()int");
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
