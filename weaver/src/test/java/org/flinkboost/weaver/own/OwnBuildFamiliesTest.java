// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.flinkboost.weaver.Acme;
import org.flinkboost.weaver.JavaSources;
import org.flinkboost.weaver.jar.WeaveRecord;
import org.flinkboost.weaver.line.Checksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An own build that differs in classes of a family without which there can be a jar. */
class OwnBuildFamiliesTest {

    private static final String GAUGE =
            "package acme; public class Gauge {"
                    + " public static Object raise(int by) { return \"up \" + by; } }";

    private static final String WHEEL =
            "package acme; public class Wheel {"
                    + " public static Object turn(int by) { return Tooth.count() + by; } }";

    private static final String TOOTH =
            "package acme; public class Tooth { public static int count() { return 12; } }";

    private static final String GAUGE_PATCH =
            Acme.replacing("@Replaces public static Object raise(int by) { return \"ours\"; }");

    private static final String WHEEL_PATCH =
            "package acme.boost.wheels; import org.flinkboost.weaver.patch.*;"
                    + " @Patches(\"acme.Wheel\") public final class WheelPatch {"
                    + " @Replaces public static Object turn(int by) {"
                    + " return Grease.on(acme.Tooth.count() + by); } }";

    private static final String GREASE =
            "package acme.boost.wheels; public final class Grease {"
                    + " static Object on(int teeth) { return teeth + \"!\"; } }";

    private static final String ASIDE = "META-INF/flink-boost/aside/acme/Wheel.class";
    private static final String DOOR = "acme/FlinkBoostDoor.class";
    private static final String OWN = "acme/boost/wheels/Grease.class";

    @TempDir Path folder;
    private AcmeBuild build;

    @BeforeEach
    void release() throws IOException {
        build =
                new AcmeBuild(
                        folder,
                        11,
                        Map.of("acme.Gauge", "dials", "acme.Wheel", "wheels"),
                        List.of(GAUGE, WHEEL, TOOTH),
                        GAUGE_PATCH,
                        WHEEL_PATCH,
                        GREASE,
                        Acme.HAND_OVER);
    }

    @Test
    void familyThatFitsLiesAside() throws IOException {
        OwnBuild.Answer answer = build.answer(List.of(GAUGE, WHEEL, TOOTH), 11, "-g:none");
        assertThat(answer.differences()).isEmpty();
        try (JarFile jar = written(answer)) {
            assertThat(names(jar))
                    .contains("acme/Gauge.class", ASIDE, DOOR, OWN)
                    .doesNotContain("acme/Wheel.class");
            assertThat(record(jar))
                    .contains("class.acme.Wheel=", "family.acme.Wheel=wheels\n")
                    .containsPattern("link\\.wheels\\.\\d{4}=acme/Tooth class public\n")
                    .doesNotContainPattern("link\\.\\d{4}=acme/Tooth");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Tooth.count() - by", "Tooth.count() + by + 1"})
    void familyThatDiffersIsLeftOut(String body) throws IOException {
        String other = WHEEL.replace("Tooth.count() + by", body);
        OwnBuild.Answer answer = build.answer(List.of(GAUGE, other, TOOTH), 11, "-g:none");
        assertThat(answer.differences()).isNotEmpty().allMatch(s -> s.startsWith("acme.Wheel: "));
        requireWithoutWheels(answer);
    }

    @Test
    void familyWhoseClassIsNotThereIsLeftOut() throws IOException {
        OwnBuild.Answer answer = build.answer(List.of(GAUGE, TOOTH), 11, "-g:none");
        assertThat(answer.differences()).containsExactly("acme.Wheel: it is not in acme-own.jar");
        requireWithoutWheels(answer);
    }

    @Test
    void familyWhoseNeighbourDiffersIsLeftOut() throws IOException {
        Path lines = build.acme.patches().resolve(WeaveRecord.RESOURCE);
        try (JarFile jar = written(build.answer(List.of(GAUGE, WHEEL, TOOTH), 11))) {
            Files.writeString(lines, record(jar));
        }
        String hidden = TOOTH.replace("public static int", "static int");
        OwnBuild.Answer answer = build.answer(List.of(GAUGE, WHEEL, hidden), 11, "-g:none");
        assertThat(answer.differences())
                .containsExactly(
                        "acme.Tooth.count()int is package static-method, expected public"
                                + " static-method");
        requireWithoutWheels(answer);
    }

    @Test
    void withoutTheOthersThereIsNoJar() throws IOException {
        String gauge = GAUGE.replace("up ", "down ");
        String wheel = WHEEL.replace("+ by", "- by");
        OwnBuild.Answer answer = build.answer(List.of(gauge, wheel, TOOTH), 11, "-g:none");
        assertThat(answer.woven()).isEmpty();
        assertThat(answer.differences()).isNotEmpty().allMatch(s -> s.startsWith("acme.Gauge: "));
    }

    private void requireWithoutWheels(OwnBuild.Answer answer) throws IOException {
        assertThat(answer.woven().orElseThrow().checksums()).containsOnlyKeys("acme.Gauge");
        try (JarFile jar = written(answer)) {
            assertThat(names(jar))
                    .contains("acme/Gauge.class")
                    .doesNotContain(ASIDE, DOOR, OWN, "acme/boost/wheels/WheelPatch.class");
            assertThat(record(jar)).doesNotContain("Wheel", "wheels");
        }
    }

    private JarFile written(OwnBuild.Answer answer) throws IOException {
        Path jar = folder.resolve("woven.jar");
        answer.woven().orElseThrow().write(jar);
        return new JarFile(jar.toFile());
    }

    private static Stream<String> names(JarFile jar) {
        return jar.stream().map(ZipEntry::getName);
    }

    private static String record(JarFile jar) throws IOException {
        ZipEntry entry = jar.getEntry(WeaveRecord.RESOURCE);
        return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** An own build with patched classes in several jars, as a distribution's lib/ has them. */
    @Nested
    class InSeveralJars {

        private static final String GAUGE = stock("Gauge");
        private static final String WHEEL = stock("Wheel");
        private static final String VALVE = stock("Valve");

        @TempDir Path folder;
        private AcmeBuild build;
        private Map<String, byte[]> gauge;
        private Map<String, byte[]> wheel;
        private Map<String, byte[]> valve;

        @BeforeEach
        void release() throws IOException {
            build =
                    new AcmeBuild(
                            folder,
                            11,
                            Map.of("acme.Gauge", "dials", "acme.Wheel", "wheels"),
                            List.of(GAUGE, WHEEL, VALVE),
                            patch("", "Gauge"),
                            patch(".wheels", "Wheel"),
                            Acme.HAND_OVER);
            Map<String, byte[]> all = compiled(GAUGE, WHEEL, VALVE);
            gauge = Map.of("acme/Gauge.class", all.get("acme/Gauge.class"));
            wheel = Map.of("acme/Wheel.class", all.get("acme/Wheel.class"));
            valve = Map.of("acme/Valve.class", all.get("acme/Valve.class"));
        }

        private static String stock(String name) {
            return "package acme; public class "
                    + name
                    + " { public static Object turn(int by) { return \"by \" + by; } }";
        }

        private static String patch(String family, String name) {
            return String.format(
                    "package acme.boost%s; import org.flinkboost.weaver.patch.*;"
                            + " @Patches(\"acme.%s\") public final class %sPatch {"
                            + " @Replaces public static Object turn(int by) { return \"ours\"; } }",
                    family, name, name);
        }

        private Map<String, byte[]> compiled(String... sources) throws IOException {
            Path built = folder.resolve("own");
            JavaSources.compileWith(List.of("-g:none"), built, 11, List.of(), sources);
            return Acme.files(built);
        }

        @Test
        void familyInAJarOfItsOwnIsWoven() throws IOException {
            OwnBuild.Answer answer =
                    build.answer(gauge, build.jar("valves.jar", valve), build.jar("w.jar", wheel));
            assertThat(answer.differences()).isEmpty();
            assertThat(answer.woven().orElseThrow().checksums())
                    .isEqualTo(
                            Map.of(
                                    "acme.Gauge", Checksum.of(gauge.get("acme/Gauge.class")),
                                    "acme.Wheel", Checksum.of(wheel.get("acme/Wheel.class"))));
        }

        /** What others do without is looked for in Flink's own jar alone. */
        @Test
        void classThatAllNeedInAnotherJarIsNotThere() throws IOException {
            OwnBuild.Answer answer = build.answer(wheel, build.jar("g.jar", gauge));
            assertThat(answer.differences())
                    .containsExactly("acme.Gauge: it is not in acme-own.jar");
            assertThat(answer.woven()).isEmpty();
        }

        @Test
        void firstJarThatHasTheClassCounts() throws IOException {
            String other = WHEEL.replace("\"by \"", "\"up \"");
            Map<String, byte[]> changed = new TreeMap<>(compiled(other));
            changed.keySet().retainAll(List.of("acme/Wheel.class"));
            Path first = build.jar("first.jar", changed);
            Path second = build.jar("second.jar", wheel);
            assertThat(build.answer(gauge, second, first).differences()).isEmpty();
            assertThat(build.answer(gauge, first, second).differences())
                    .isNotEmpty()
                    .allMatch(sentence -> sentence.startsWith("acme.Wheel: "));
        }

        /** As a JVM passes over it. */
        @Test
        void whatIsNoJarIsPassedOver() throws IOException {
            Path broken = Files.writeString(folder.resolve("broken.jar"), "no jar");
            Path absent = folder.resolve("absent.jar");
            assertThat(
                            build.answer(gauge, broken, absent, build.jar("w.jar", wheel))
                                    .woven()
                                    .orElseThrow()
                                    .checksums())
                    .containsOnlyKeys("acme.Gauge", "acme.Wheel");
        }

        /** Of two families the one whose jar is there stays. */
        @Test
        void familyWhoseJarIsAbsentTakesNoOtherAlong() throws IOException {
            build =
                    new AcmeBuild(
                            folder.resolve("three"),
                            11,
                            Map.of(
                                    "acme.Gauge", "dials",
                                    "acme.Valve", "valves",
                                    "acme.Wheel", "wheels"),
                            List.of(GAUGE, WHEEL, VALVE),
                            patch("", "Gauge"),
                            patch(".wheels", "Wheel"),
                            patch(".valves", "Valve"),
                            Acme.HAND_OVER);
            Path wheels = build.jar("w.jar", wheel);
            Path valves = build.jar("v.jar", valve);
            assertThat(build.answer(gauge, wheels, valves).differences()).isEmpty();
            assertThat(build.answer(gauge, wheels, valves).woven().orElseThrow().checksums())
                    .containsOnlyKeys("acme.Gauge", "acme.Valve", "acme.Wheel");
            OwnBuild.Answer answer = build.answer(gauge, wheels);
            assertThat(answer.differences())
                    .containsExactly("acme.Valve: it is not in acme-own.jar");
            assertThat(answer.woven().orElseThrow().checksums())
                    .containsOnlyKeys("acme.Gauge", "acme.Wheel");
            assertThat(build.answer(gauge, valves).woven().orElseThrow().checksums())
                    .containsOnlyKeys("acme.Gauge", "acme.Valve");
            assertThat(build.answer(gauge).woven().orElseThrow().checksums())
                    .containsOnlyKeys("acme.Gauge");
        }
    }
}
