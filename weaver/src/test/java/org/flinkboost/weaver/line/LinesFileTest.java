// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which classes a line has, and with which class files. */
class LinesFileTest {

    private static final String LINES =
            """
            [patched]
            "acme.Always" = { jar = "acme-core", family = "dials" }
            "acme.Old" = { jar = "acme-core", family = "dials", until = "1.9" }
            "acme.New" = { jar = "acme-run", family = "wheels", since = "1.10", until = "2.0.4" }
            [lines."1.9.3".jars]
            "acme-core-1.9.3.jar" = "01"
            "acme-run_2.11-1.9.3.jar" = "02"
            [lines."1.10.0".jars]
            "acme-core-1.10.0.jar" = "03"
            "acme-run-1.10.0.jar" = "04"
            [lines."2.0.5".jars]
            "lib/acme-core-2.0.5.jar" = "05"
            """;
    private static final String LOCK =
            """
            [["acme.Always"]]
            a1 = ["1.9.3"]
            [["acme.Always"]]
            a2 = ["1.10.0", "1.10.1"]
            a3 = ["2.0.5"]
            [["acme.Old"]]
            b1 = ["1.9.3"]
            [["acme.New"]]
            c1 = ["1.10.0"]
            """;

    @TempDir Path folder;
    private Path lines;
    private Path lock;

    @BeforeEach
    void write() throws IOException {
        lines = Files.writeString(folder.resolve("lines.toml"), LINES);
        lock = Files.writeString(folder.resolve(LinesFile.LOCK), LOCK);
    }

    @Test
    void lineHasTheClassesThatItsReleaseHas() throws IOException {
        assertThat(LinesFile.read(lines, "1.9.3").classes().keySet())
                .containsExactly("acme.Always", "acme.Old");
        assertThat(LinesFile.read(lines, "1.10.0").classes().keySet())
                .containsExactly("acme.Always", "acme.New");
        assertThat(LinesFile.read(lines, "2.0.5").classes().keySet())
                .containsExactly("acme.Always");
    }

    @Test
    void jarOfTheDistributionHasItsFileName() throws IOException {
        assertThat(LinesFile.read(lines, "2.0.5").jars())
                .containsExactly(Map.entry("acme-core-2.0.5.jar", "05"));
    }

    @Test
    void classHasItsJarItsFamilyAndTheChecksumOfTheLinesRelease() throws IOException {
        PatchedClass found = LinesFile.read(lines, "1.10.0").classes().get("acme.New");
        assertThat(found.jar()).isEqualTo("acme-run");
        assertThat(found.family()).isEqualTo("wheels");
        assertThat(found.checksum()).isEqualTo("c1");
        assertThat(found.equal()).isEmpty();
    }

    @Test
    void classHasTheChecksumsOfClassFilesThatDoTheSame() throws IOException {
        PatchedClass found = LinesFile.read(lines, "2.0.5").classes().get("acme.Always");
        assertThat(found.checksum()).isEqualTo("a3");
        assertThat(found.equal()).containsExactly("a2");
        assertThat(LinesFile.read(lines, "1.9.3").classes().get("acme.Always").equal()).isEmpty();
    }

    @Test
    void classWithoutAClassFileInTheLockIsRefused() throws IOException {
        Files.writeString(lock, LOCK.replace("c1 =", "c1 = [\"1.11.0\"]\nc2 =").replace("b1", "#"));
        assertThat(LinesFile.read(lines, "1.10.0").classes().get("acme.New").checksum())
                .isEqualTo("c2");
        assertThatThrownBy(() -> LinesFile.read(lines, "1.9.3"))
                .isInstanceOf(WeaveException.class)
                .hasMessageContaining("classes.lock has no class file of acme.Old in Flink 1.9.3")
                .hasMessageContaining("flink-boost releases --look 1.9.3");
    }

    @Test
    void jarThatIsNoneOfTheLinesAndAMissingFamilyAreRefused() throws IOException {
        Files.writeString(lines, LINES.replace("jar = \"acme-run\"", "jar = \"acme-ru\""));
        assertThatThrownBy(() -> LinesFile.read(lines, "1.10.0"))
                .isInstanceOf(WeaveException.class)
                .hasMessageContaining("acme.New is to be in the jar 'acme-ru'");
        Files.writeString(lines, LINES.replace(", family = \"wheels\"", ""));
        assertThatThrownBy(() -> LinesFile.read(lines, "1.10.0"))
                .isInstanceOf(WeaveException.class)
                .hasMessageContaining("in the family ''");
    }
}
