// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
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
}
