// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.flinkboost.weaver.line.Checksum;
import org.flinkboost.weaver.line.LinesFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code assemble}: one reproducible jar from the woven folders of two modules. */
class AssembleCommandTest {

    @TempDir Path folder;
    private Acme gauge;
    private Acme valve;
    private Path licence;
    private Path releases;
    private Path jar;

    @BeforeEach
    void weaveTwoModules() throws IOException {
        gauge = module("Gauge");
        valve = module("Valve");
        releases = Files.writeString(folder.resolve("releases.toml"), "");
        licence = Files.writeString(folder.resolve("LICENSE"), "Do what you like.\n");
        jar = folder.resolve("jars/acme-boost.jar");
    }

    /** A module that patches one class and has a resource of its own. */
    private Acme module(String name) throws IOException {
        Acme acme = new Acme(folder.resolve(name), 8);
        acme.stock("package acme; public class " + name + " { public static void note(int n) {} }");
        acme.patch(
                Acme.replacing("@Replaces public static boolean note(int n) { return true; }")
                        .replace("Gauge", name));
        Files.writeString(acme.patches().resolve(name + ".txt"), name);
        acme.weave().succeeds();
        return acme;
    }

    /** As one line whose classes are those that these folders were woven for. */
    private Outcome assemble(Path out, Path... wovenFolders) throws IOException {
        boolean both = List.of(wovenFolders).contains(valve.out());
        Acme.writeLines(gauge.lines(), both ? new Acme[] {gauge, valve} : new Acme[] {gauge});
        return assembleAsIs(out, wovenFolders);
    }

    private Outcome assembleAsIs(Path out, Path... wovenFolders) {
        return Outcome.of(call(out, wovenFolders).toArray(String[]::new));
    }

    private List<String> call(Path out, Path... wovenFolders) {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(List.of("assemble", "--line=1.4.2", "--boost-version=0.9"));
        arguments.add("--families=" + Acme.FAMILIES);
        arguments.addAll(List.of("--lines=" + gauge.lines(), "--releases=" + releases));
        arguments.addAll(List.of("--class-path=" + classPath(), "--licence=" + licence));
        arguments.add("--out=" + out);
        for (Path woven : wovenFolders) {
            arguments.add("--woven=" + woven);
        }
        return arguments;
    }

    /** What the patches refer to beside what is woven; both families are the same class. */
    private String classPath() {
        return gauge.root.resolve("families") + ":" + gauge.jar() + ":" + valve.jar();
    }

    private static String entry(JarFile jar, String name) throws IOException {
        return new String(
                jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void entriesAreSortedBehindTheManifestAndHaveOneTime() throws IOException {
        Outcome outcome = assemble(jar, gauge.out(), valve.out()).succeeds();
        assertThat(outcome.out()).isEqualTo("Wrote acme-boost.jar (8 entries)\n");
        try (JarFile opened = new JarFile(jar.toFile())) {
            List<? extends ZipEntry> entries = opened.stream().toList();
            assertThat(entries.stream().map(ZipEntry::getName))
                    .containsExactly(
                            "META-INF/MANIFEST.MF",
                            "Gauge.txt",
                            "META-INF/LICENSE",
                            "META-INF/flink-boost/weave.properties",
                            "Valve.txt",
                            "acme/Gauge.class",
                            "acme/Valve.class",
                            "acme/boost/GaugePatch.class",
                            "acme/boost/ValvePatch.class");
            assertThat(entries.stream().map(ZipEntry::getTimeLocal))
                    .containsOnly(LocalDateTime.of(1980, 2, 1, 0, 0));
        }
    }

    @Test
    void descriptionNamesBothVersionsAndStocksChecksums() throws IOException {
        assemble(jar, gauge.out(), valve.out()).succeeds();
        try (JarFile opened = new JarFile(jar.toFile())) {
            assertThat(entry(opened, "META-INF/flink-boost/weave.properties"))
                    .isEqualTo(
                            "boost.version=0.9\n"
                                    + "class.acme.Gauge="
                                    + Checksum.of(gauge.root.resolve("stock/acme/Gauge.class"))
                                    + "\nclass.acme.Valve="
                                    + Checksum.of(valve.root.resolve("stock/acme/Valve.class"))
                                    + "\nfamily.acme.Gauge=dials\nfamily.acme.Valve=dials\n"
                                    + "flink.version=1.4.2\n"
                                    + "jar.acme.Gauge=acme\njar.acme.Valve=acme\n"
                                    + "link.0000=acme/boost/guard/Families class public\n"
                                    + "link.0001=acme/boost/guard/Families static-field public DIALS Z\n"
                                    + "link.0002=acme/boost/guard/Families static-method public require"
                                    + " ()V\n"
                                    + "tested=\n");
            Attributes manifest = opened.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Implementation-Version")).isEqualTo("0.9");
            assertThat(manifest.getValue("Flink-Version")).isEqualTo("1.4.2");
            assertThat(entry(opened, "META-INF/LICENSE")).isEqualTo("Do what you like.\n");
            assertThat(opened.getInputStream(opened.getEntry("acme/Gauge.class")).readAllBytes())
                    .isEqualTo(Files.readAllBytes(gauge.out().resolve("acme/Gauge.class")));
        }
    }

    @Test
    void descriptionListsTheReleasesThatTheJarWasTestedOn() throws IOException {
        Files.writeString(
                releases,
                """
                [releases."1.4.1"]
                classes = "1.4.2"
                tested = { codec = 2026-01-02 }
                [releases."1.4.2"]
                classes = "1.4.2"
                tested = { codec = 2026-01-02 }
                [releases."1.4.3"]
                classes = "1.4.2"
                tested = {}
                [releases."1.5.0"]
                classes = "1.5.0"
                tested = { codec = 2026-01-02 }
                """);
        assemble(jar, gauge.out(), valve.out()).succeeds();
        try (JarFile opened = new JarFile(jar.toFile())) {
            assertThat(entry(opened, "META-INF/flink-boost/weave.properties"))
                    .contains("\ntested=1.4.1 1.4.2\n");
        }
    }

    @Test
    void descriptionHasTheChecksumsOfClassFilesThatDoTheSameBehindTheOwn() throws IOException {
        Acme.writeLines(gauge.lines(), gauge);
        Path lock = gauge.lines().resolveSibling(LinesFile.LOCK);
        Files.writeString(lock, Files.readString(lock) + "0a = [\"1.4.0\"]\n");
        assembleAsIs(jar, gauge.out()).succeeds();
        String own = Checksum.of(gauge.root.resolve("stock/acme/Gauge.class"));
        try (JarFile opened = new JarFile(jar.toFile())) {
            assertThat(entry(opened, "META-INF/flink-boost/weave.properties"))
                    .contains("class.acme.Gauge=" + own + " 0a\n");
        }
    }

    @Test
    void classThatNoFolderHasAndOneOfAnOlderListAreRefused() throws IOException {
        Acme.writeLines(gauge.lines(), gauge, valve);
        assembleAsIs(jar, gauge.out())
                .isRefusedWith(
                        "The folders have not what lines.toml and classes.lock say of line 1.4.2",
                        "expected {acme.Valve=",
                        "found {}",
                        "run `weave` again");
        gauge.classSum("acme.Gauge", "77");
        assemble(jar, gauge.out()).isRefusedWith("expected {acme.Gauge=77}, found {acme.Gauge=");
        assertThat(jar).doesNotExist();
    }

    @Test
    void classThatNoJarOfTheClassPathHasIsNamed() throws IOException {
        Files.delete(gauge.root.resolve("families/acme/boost/guard/Families.class"));
        assemble(jar, gauge.out())
                .isRefusedWith(
                        "acme.Gauge refers to acme.boost.guard.Families, which is missing",
                        "add its jar to --class-path");
        assertThat(jar).doesNotExist();
    }

    @Test
    void sameInputGivesTheSameBytesWhateverTimeAndOrder() throws IOException {
        assemble(jar, gauge.out(), valve.out()).succeeds();
        Files.setLastModifiedTime(
                gauge.out().resolve("acme/Gauge.class"), FileTime.fromMillis(1_000_000_000_000L));
        Path again = folder.resolve("again.jar");
        assemble(again, valve.out(), gauge.out()).succeeds();
        assertThat(again).hasSameBinaryContentAs(jar);
    }

    /** What another class needs of the same neighbour is told of each. */
    @Test
    void classesOfAFamilyLieAsideWithADoorBesideThem() throws Exception {
        Acme.writeLines(gauge.lines(), gauge, valve);
        List<String> arguments = new ArrayList<>(call(jar, gauge.out(), valve.out()));
        arguments.add("--aside=dials");
        arguments.add("--aside=absent");
        Outcome.of(arguments.toArray(String[]::new)).succeeds();
        try (JarFile opened = new JarFile(jar.toFile())) {
            assertThat(opened.stream().map(ZipEntry::getName))
                    .contains(
                            "META-INF/flink-boost/aside/acme/Gauge.class",
                            "META-INF/flink-boost/aside/acme/Valve.class",
                            "acme/FlinkBoostDoor.class")
                    .doesNotContain("acme/Gauge.class", "acme/Valve.class");
            assertThat(entry(opened, "META-INF/flink-boost/weave.properties"))
                    .contains("link.dials.0000=acme/boost/guard/Families class public\n")
                    .doesNotContain("link.0");
        }
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            Class<?> door = loader.loadClass("acme.FlinkBoostDoor");
            MethodHandles.Lookup lookup =
                    (MethodHandles.Lookup) door.getMethod("lookup").invoke(null);
            assertThat(lookup.lookupClass()).isEqualTo(door);
            assertThat(lookup.hasFullPrivilegeAccess()).isTrue();
        }
    }

    @Test
    void formerJarIsReplacedAndNothingLeftBeside() throws IOException {
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "former");
        assemble(jar, gauge.out()).succeeds();
        assertThat(Files.readAllBytes(jar)).startsWith('P', 'K');
        assertThat(jar.getParent()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void sameClassFromTwoModulesIsRefused() throws IOException {
        Path twin = folder.resolve("twin");
        gauge.weaveInto(twin).succeeds();
        Files.delete(twin.resolve("Gauge.txt"));
        Files.createDirectories(jar.getParent());
        Files.writeString(jar, "former");
        assemble(jar, gauge.out(), twin)
                .isRefusedWith(
                        "acme/Gauge.class comes from two places",
                        "expected one",
                        "found it again as " + twin.resolve("acme/Gauge.class"));
        assertThat(jar).hasContent("former");
        assertThat(jar.getParent()).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void sameFileFromAModuleAndALicenceIsRefused() throws IOException {
        Files.writeString(gauge.out().resolve("META-INF/LICENSE"), "Another one.\n");
        assemble(jar, gauge.out())
                .isRefusedWith("META-INF/LICENSE comes from two places", licence.toString());
        assertThat(jar).doesNotExist();
    }

    @Test
    void folderThatIsNotWovenIsRefused() throws IOException {
        assemble(jar, gauge.patches())
                .isRefusedWith(
                        gauge.patches() + " holds no classes woven for Flink 1.4.2",
                        "expected META-INF/flink-boost/woven/1.4.2",
                        "run `weave` first");
        assertThat(jar).doesNotExist();
    }

    @Test
    void folderWovenForAnotherLineIsRefused() throws IOException {
        String text = Files.readString(gauge.lines()).replace("1.4.2", "1.4.3");
        Files.writeString(gauge.lines(), text);
        Path lock = gauge.lines().resolveSibling(LinesFile.LOCK);
        Files.writeString(lock, Files.readString(lock).replace("1.4.2", "1.4.3"));
        Outcome.of(
                        "assemble",
                        "--line=1.4.3",
                        "--boost-version=0.9",
                        "--families=" + Acme.FAMILIES,
                        "--lines=" + gauge.lines(),
                        "--releases=" + releases,
                        "--woven=" + gauge.out(),
                        "--out=" + jar)
                .isRefusedWith(gauge.out() + " holds no classes woven for Flink 1.4.3");
        assertThat(jar).doesNotExist();
    }

    @Test
    void missingLicenceIsNamed() throws IOException {
        Files.delete(licence);
        assemble(jar, gauge.out()).isRefusedWith(licence + " does not exist");
        assertThat(jar).doesNotExist();
    }

    @Test
    void missingOptionIsAWrongCall() {
        Outcome outcome = Outcome.of("assemble", "--line=1.4.2");
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).contains("Missing required options", "--woven");
    }
}
