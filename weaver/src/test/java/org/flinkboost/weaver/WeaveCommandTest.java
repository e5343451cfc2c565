// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code weave}: exit codes, sentences, and what becomes of the output folder. */
class WeaveCommandTest {

    private static final String GAUGE =
            "package acme; public class Gauge { public static void note(int n) {} }";
    private static final String PATCH =
            Acme.replacing("@Replaces public static boolean note(int n) { return true; }");

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8).stock(GAUGE).patch(PATCH);
        acme.writeLines();
    }

    private Outcome call(String option, String value) {
        List<String> arguments = acme.arguments(acme.out());
        arguments.replaceAll(argument -> argument.startsWith(option + "=") ? value : argument);
        return Outcome.of(arguments.toArray(String[]::new));
    }

    @Test
    void saysWhatItWove() throws IOException {
        Outcome outcome = acme.weave().succeeds();
        assertThat(outcome.out()).isEqualTo("Wove acme.Gauge for Flink 1.4.2\n");
        assertThat(acme.root.resolve("woven.part")).doesNotExist();
    }

    @Test
    void staleFilesOfAFormerRunAreGone() throws IOException {
        acme.weave().succeeds();
        Map<String, byte[]> fresh = Acme.files(acme.out());
        Files.createDirectories(acme.out().resolve("acme/old"));
        Files.writeString(acme.out().resolve("acme/old/Stale.class"), "stale");
        Files.createDirectories(acme.root.resolve("woven.part"));
        Files.writeString(acme.root.resolve("woven.part/Stale.class"), "left by a killed run");
        acme.weave().succeeds();
        assertThat(Acme.files(acme.out())).containsExactlyEntriesOf(fresh);
    }

    @Test
    void resourcesOfTheModuleAreCopied() throws IOException {
        Files.createDirectories(acme.patches().resolve("META-INF/services"));
        Files.writeString(acme.patches().resolve("META-INF/services/x.Y"), "x.Z\n");
        acme.weave().succeeds();
        assertThat(acme.out().resolve("META-INF/services/x.Y")).hasContent("x.Z");
    }

    @Test
    void unknownLineIsNamedWithTheKnownOnes() {
        call("--line", "--line=9.9.9")
                .isRefusedWith("There is no Flink line 9.9.9 in lines.toml", "found: 1.4.2");
        assertThat(acme.out()).doesNotExist();
    }

    @Test
    void brokenLinesFileIsNamedWithTheLine() throws IOException {
        Files.writeString(acme.lines(), "default = \"1.4.2\"\n[lines.\"1.4.2\"");
        call("--none", "").isRefusedWith("lines.toml is not TOML, see line 2");
        assertThat(acme.out()).doesNotExist();
    }

    @Test
    void missingLinesFileIsNamed() {
        call("--lines", "--lines=no/lines.toml").isRefusedWith("no/lines.toml does not exist");
    }

    @Test
    void missingPatchFolderIsNamed() {
        call("--patches", "--patches=no/classes").isRefusedWith("no/classes does not exist");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "final class Families { public static final boolean DIALS = true; REQUIRE }",
                "public class Families { public final boolean DIALS = true; REQUIRE }",
                "public class Families { public static boolean DIALS; REQUIRE }",
                "public class Families { static final boolean DIALS = true; REQUIRE }",
                "public class Families { public static final int DIALS = 1; REQUIRE }",
                "public class Families { public static final boolean WHEELS = true; REQUIRE }",
                "public class Families { public static final boolean DIALS = true;"
                        + " static void require() {} }",
                "public class Families { public static final boolean DIALS = true;"
                        + " public void require() {} }",
                "public class Families { public static final boolean DIALS = true;"
                        + " public static void require(int n) {} }",
            })
    void familiesThatWovenCodeCouldNotAskAreRefused(String source) throws IOException {
        acme.patch(
                "package acme.other; "
                        + source.replace("REQUIRE", "public static void require() {}"));
        call("--families", "--families=acme.other.Families")
                .isRefusedWith("acme.other.Families", "expected");
        assertThat(acme.out()).doesNotExist();
    }

    /** The control of the test above. */
    @Test
    void familiesOfTheFormThatIsExpectedAreNone() throws IOException {
        acme.patch(
                "package acme.other; public class Families {"
                        + " public static final boolean DIALS = true;"
                        + " public static void require() {} }");
        call("--families", "--families=acme.other.Families").succeeds();
    }

    @Test
    void familiesThatAreMissingAreNamed() {
        call("--families", "--families=acme.boost.Toggles")
                .isRefusedWith(
                        "The switches of the families, acme.boost.Toggles, are missing",
                        "expected a public class");
        assertThat(acme.out()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"patches", "patches/woven", "."})
    void outputOverThePatchesIsRefused(String out) throws IOException {
        Map<String, byte[]> before = Acme.files(acme.patches());
        call("--out", "--out=" + acme.root.resolve(out))
                .isRefusedWith(
                        "--out " + acme.root.resolve(out), "--patches", "two separate folders");
        assertThat(Acme.files(acme.patches())).containsExactlyEntriesOf(before);
    }

    @Test
    void missingOptionIsAWrongCall() {
        Outcome outcome = Outcome.of("weave", "--line=1.4.2");
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).contains("Missing required options", "--jar").contains("Usage:");
    }

    @Test
    void unknownCommandIsAWrongCall() {
        Outcome outcome = Outcome.of("unpick");
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).contains("unpick");
    }

    /** The real process, as the build would see it. */
    @Test
    void processEndsWithTheCodeAndOneLine() throws Exception {
        acme.jarSum("0".repeat(64)).writeLines();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("org.flinkboost.weaver.Main");
        command.addAll(acme.arguments(acme.out()));
        Path output = acme.root.resolve("output.txt");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(output, StandardCharsets.UTF_8))
                .startsWith("weaver: acme-1.4.2.jar is not the official jar of Flink 1.4.2")
                .hasLineCount(1);
        assertThat(acme.out()).doesNotExist();
    }
}
