// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.flinkboost.weaver.line.Checksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars and classes that are not those of the line: nothing is woven. */
class RefusedJarTest {

    private static final String GAUGE =
            "package acme; public class Gauge { int level; public static void note(int n) {} }";
    private static final String PATCH =
            Acme.replacing("@Replaces public static boolean note(int n) { return true; }");
    private static final String ACCESS = Acme.accessing("@Reads(\"level\") int boostLevel();");
    private static final String VALVE = "package acme; public class Valve { boolean open; }";
    private static final String VALVE_ACCESS =
            "package acme.boost; import org.flinkboost.weaver.patch.*;"
                    + " @Patches(\"acme.Valve\") public interface ValveAccess {"
                    + " @Reads(\"open\") boolean boostOpen(); }";
    private static final String OTHER_SUM = "0".repeat(64);

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8);
    }

    /** The control of all the others: with nothing changed the same product is woven. */
    @Test
    void unchangedProductIsWoven() throws IOException {
        acme.stock(GAUGE).patch(PATCH, ACCESS).weave().succeeds();
        assertThat(acme.out().resolve("acme/Gauge.class")).exists();
    }

    @Test
    void jarOfAnotherRelease() throws IOException {
        acme.manifest("Implementation-Version", "1.4.1").stock(GAUGE).patch(PATCH);
        acme.isRefusedWith(Acme.JAR, "is Flink 1.4.1", "expected Flink 1.4.2");
    }

    @Test
    void jarWithoutVersionInItsManifest() throws IOException {
        acme.manifest("Implementation-Version", null).stock(GAUGE).patch(PATCH);
        acme.isRefusedWith(Acme.JAR, "(no Implementation-Version)", "expected Flink 1.4.2");
    }

    @Test
    void jarWithAnotherChecksum() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        acme.jarSum(OTHER_SUM)
                .isRefusedWith(
                        Acme.JAR,
                        "expected SHA-256 " + OTHER_SUM,
                        "found " + Checksum.of(acme.jar()));
    }

    @Test
    void jarThatTheLineDoesNotName() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        Path other = acme.root.resolve("acme-extra.jar");
        Files.move(acme.jar(), other);
        acme.writeLines();
        List<String> arguments = acme.arguments(acme.out());
        arguments.set(arguments.indexOf("--jar=" + acme.jar()), "--jar=" + other);
        Outcome.of(arguments.toArray(String[]::new))
                .isRefusedWith("acme-extra.jar is not a jar of line 1.4.2", "expected one of");
    }

    @Test
    void jarThatIsCutOff() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        byte[] whole = Files.readAllBytes(acme.jar());
        Files.write(acme.jar(), Arrays.copyOf(whole, whole.length / 2));
        acme.isRefusedWith(acme.jar().toString(), "is not a whole jar", "fetch it again");
    }

    @Test
    void jarThatIsNotThere() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        Files.delete(acme.jar());
        acme.isRefusedWith(acme.jar().toString(), "does not exist");
    }

    @Test
    void classThatIsMissing() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        acme.stock(Map.of("acme/Other.class", new byte[0])).classSum("acme.Gauge", OTHER_SUM);
        acme.isRefusedWith(
                "acme.Gauge is missing",
                "expected it in the jar of acme 1.4.2, found it in none such of [acme-1.4.2.jar]");
    }

    /** A jar of the distribution, where Maven Central has none, beside one of Maven Central's. */
    @Test
    void classesOfTwoJarsAreWoven() throws IOException {
        Path lib = acme.root.resolve("acme-home/lib/acme-rows_2.12-1.4.2.jar");
        acme.stock(GAUGE).beside(lib, "acme-rows", VALVE).patch(PATCH, ACCESS, VALVE_ACCESS);
        assertThat(acme.weave().succeeds().out())
                .isEqualTo("Wove acme.Gauge, acme.Valve for Flink 1.4.2\n");
    }

    @Test
    void secondJarThatIsNotTheLines() throws IOException {
        Path lib = acme.root.resolve("acme-home/lib/acme-rows-1.4.2.jar");
        acme.stock(GAUGE).beside(lib, "acme-rows", VALVE).patch(PATCH, VALVE_ACCESS);
        byte[] bytes = Files.readAllBytes(lib);
        Files.write(lib, Arrays.copyOf(bytes, bytes.length + 1));
        acme.isRefusedWith("acme-rows-1.4.2.jar is not the official jar of Flink 1.4.2");
    }

    @Test
    void classInAnotherJarThanItsOwn() throws IOException {
        Path lib = acme.root.resolve("acme-home/lib/acme-rows-1.4.2.jar");
        acme.stock(GAUGE).beside(lib, "acme-rows", VALVE).patch(PATCH, VALVE_ACCESS);
        acme.described("acme.Valve", "jar = \"acme\", family = \"dials\"");
        acme.isRefusedWith(
                "acme.Valve is missing: expected it in the jar of acme 1.4.2",
                "found it in none such of [acme-1.4.2.jar, acme-rows-1.4.2.jar]");
    }

    /** Which of them a process loads depends on their order. */
    @Test
    void anotherClassFileOfThatNameInASecondJar() throws IOException {
        Path lib = acme.root.resolve("acme-home/lib/acme-rows-1.4.2.jar");
        String other = GAUGE.replace("int level;", "long level;");
        acme.stock(GAUGE).beside(lib, "acme-rows", other).patch(PATCH);
        String first = Checksum.of(acme.root.resolve("stock/acme/Gauge.class"));
        acme.classSum("acme.Gauge", first)
                .described("acme.Gauge", "jar = \"acme\", family = \"dials\"")
                .isRefusedWith(
                        "acme.Gauge is not the class of Flink 1.4.2: expected SHA-256 " + first,
                        "in acme-rows-1.4.2.jar");
    }

    @Test
    void classWithAnotherChecksum() throws IOException {
        acme.stock(GAUGE).patch(PATCH);
        String found = Checksum.of(acme.root.resolve("stock/acme/Gauge.class"));
        acme.classSum("acme.Gauge", OTHER_SUM)
                .isRefusedWith("acme.Gauge", "expected SHA-256 " + OTHER_SUM, "found " + found);
    }

    /** One bad class of two stops everything: the good one is not written either. */
    @Test
    void secondOfTwoClassesWithAnotherChecksum() throws IOException {
        acme.stock(GAUGE, VALVE);
        acme.patch(PATCH, VALVE_ACCESS).classSum("acme.Valve", OTHER_SUM);
        acme.isRefusedWith("acme.Valve", OTHER_SUM);
    }

    @Test
    void classWovenAlready() throws IOException {
        acme.stock(GAUGE).patch(PATCH).weave().succeeds();
        acme.stock(wovenGauge());
        acme.isRefusedWith(
                "acme.Gauge is already woven",
                "expected stock's class",
                "found one with [note$flinkBoostStock(int)void]");
    }

    @Test
    void classWithOurInterfaceAlready() throws IOException {
        acme.stock(GAUGE).patch(ACCESS).weave().succeeds();
        acme.stock(wovenGauge());
        acme.isRefusedWith(
                "acme.Gauge is already woven", "found one with [acme.boost.GaugeAccess]");
    }

    private Map<String, byte[]> wovenGauge() throws IOException {
        Path woven = acme.out().resolve("acme/Gauge.class");
        return Map.of("acme/Gauge.class", Files.readAllBytes(woven));
    }

    @Test
    void folderThatIsWovenAlready() throws IOException {
        acme.stock(GAUGE).patch(PATCH).weave().succeeds();
        Files.copy(
                acme.out().resolve("acme/Gauge.class"), acme.patches().resolve("acme/Gauge.class"));
        acme.isRefusedWith(
                "acme.Gauge is in " + acme.patches(),
                Acme.JAR + " has it",
                "expected only patches",
                "found a whole class");
    }

    @Test
    void serializableClassWithoutDeclaredVersion() throws IOException {
        acme.stock(
                        "package acme; public class Gauge implements java.io.Serializable {"
                                + " public static void note(int n) {} }")
                .patch(PATCH);
        acme.isRefusedWith(
                "acme.Gauge is Serializable", "expected a declared static final", "found none");
    }

    /** What the Java runtime reads is a static final field; one of another kind does not count. */
    @Test
    void serializableClassWhoseVersionIsAnInstanceField() throws IOException {
        acme.stock(
                        "package acme; public class Gauge implements java.io.Serializable {"
                                + " private final long serialVersionUID = 1;"
                                + " public static void note(int n) {} }")
                .patch(PATCH);
        acme.isRefusedWith("acme.Gauge is Serializable", "found none");
    }

    @Test
    void classThatIsSerializableByItsSuperclass() throws IOException {
        acme.stock(
                        "package acme; public class Base implements java.io.Serializable {}",
                        "package acme; public class Gauge extends Base {"
                                + " public static void note(int n) {} }")
                .patch(PATCH);
        acme.isRefusedWith("acme.Gauge is Serializable", "found none");
    }

    @Test
    void superclassThatIsNotOnTheClassPath() throws IOException {
        acme.stock(
                        "package acme; public class Base {}",
                        "package acme; public class Gauge extends Base {"
                                + " public static void note(int n) {} }")
                .patch(PATCH);
        Map<String, byte[]> files = Acme.files(acme.root.resolve("stock"));
        files.remove("acme/Base.class");
        acme.stock(files)
                .isRefusedWith("acme.Gauge", "acme.Base, which is missing", "--class-path");
    }
}
