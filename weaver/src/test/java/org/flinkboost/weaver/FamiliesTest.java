// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.flinkboost.weaver.Invocation.call;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.flinkboost.weaver.line.FamilySwitches;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Families of patches: each with its switch, and left out of a line that has none of its classes.
 */
class FamiliesTest {

    private static final String LATER = "jar = \"acme\", family = \"wheels\", since = \"1.5\"";
    private static final String NOW = "jar = \"acme\", family = \"wheels\", since = \"1.4\"";

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8);
    }

    private static String stock(String name) {
        return "package acme; public class NAME { public String name() { return \"stock\"; } }"
                .replace("NAME", name);
    }

    private static String patch(String name) {
        String source =
                "package acme.boost.woven; import org.flinkboost.weaver.patch.*;"
                        + " @Patches(\"acme.NAME\") public final class NAMEPatch {"
                        + " public interface Memory {} "
                        + " @Replaces public static Object name(Memory self) {"
                        + " return self == null ? acme.boost.HandOver.TO_STOCK : \"ours\"; } }";
        return source.replace("NAME", name);
    }

    private static String own(String type) {
        int dot = type.lastIndexOf('.');
        return "package "
                + type.substring(0, dot)
                + "; public class "
                + type.substring(dot + 1)
                + " { static class Inner {} }";
    }

    private Set<String> out() throws IOException {
        return Acme.files(acme.out()).keySet();
    }

    private static Object named(ClassLoader loader, String type) throws Exception {
        return call(loader.loadClass(type).getConstructor().newInstance(), "name");
    }

    @Test
    void eachClassAsksForItsFamily() throws Exception {
        acme.stock(stock("Gauge"), stock("Valve")).described("acme.Valve", NOW);
        acme.patch(patch("Gauge"), patch("Valve"), Acme.HAND_OVER).weave().succeeds();
        try (URLClassLoader all = acme.wovenLoader(true);
                URLClassLoader half = acme.loaderWithoutWheels();
                URLClassLoader none = acme.wovenLoader(false)) {
            assertThat(named(all, "acme.Gauge")).isEqualTo("ours");
            assertThat(named(all, "acme.Valve")).isEqualTo("ours");
            assertThat(named(half, "acme.Gauge")).isEqualTo("ours");
            assertThat(named(half, "acme.Valve")).isEqualTo("stock");
            assertThat(named(none, "acme.Gauge")).isEqualTo("stock");
            assertThat(named(none, "acme.Valve")).isEqualTo("stock");
        }
    }

    @Test
    void familyWithoutASwitchIsRefused() throws IOException {
        acme.stock(stock("Gauge"))
                .described("acme.Gauge", NOW.replace("wheels", "hot-wheels"))
                .patch(patch("Gauge"), Acme.HAND_OVER)
                .isRefusedWith(
                        Acme.FAMILIES + " has no switch of the family hot-wheels",
                        "expected public static final boolean HOT_WHEELS",
                        "boolean acme.boost.guard.Families.WHEELS");
    }

    @Test
    void patchOfAClassThatTheLineHasNotIsSkipped() throws IOException {
        acme.stock(stock("Gauge")).described("acme.Valve", LATER.replace("wheels", "dials"));
        acme.patch(patch("Gauge"), patch("Valve"), Acme.HAND_OVER);
        assertThat(acme.weave().succeeds().out()).isEqualTo("Wove acme.Gauge for Flink 1.4.2\n");
        assertThat(out())
                .contains("acme/Gauge.class", "acme/boost/woven/ValvePatch.class")
                .doesNotContain("acme/Valve.class");
    }

    /** Not skipped silently: lines.toml says that the release has it. */
    @Test
    void patchOfAClassThatTheLineLacksByMistakeIsRefused() throws IOException {
        acme.stock(stock("Gauge"))
                .described("acme.Valve", NOW)
                .classSum("acme.Valve", "0".repeat(64))
                .patch(patch("Gauge"), patch("Valve"), Acme.HAND_OVER)
                .isRefusedWith("acme.Valve is missing: expected it in the jar of acme 1.4.2");
    }

    @Test
    void packagesAndPatchesOfAnAbsentFamilyAreLeftOut() throws IOException {
        acme.stock(stock("Gauge")).described("acme.Valve", LATER);
        acme.patch(
                        patch("Gauge"),
                        patch("Valve"),
                        Acme.HAND_OVER,
                        own("acme.boost.wheels.Spokes"),
                        own("acme.boost.wheels.rim.Tyre"),
                        own("acme.boost.wheelsets.Axle"),
                        own("acme.boost.wheel.Hub"),
                        own("acme.boost.dials.Needle"),
                        own("acme.wheels.Shared"))
                .weave()
                .succeeds();
        assertThat(out())
                .containsExactlyInAnyOrder(
                        "META-INF/flink-boost/weave.properties",
                        "META-INF/flink-boost/woven/1.4.2/acme-boost.properties",
                        "acme/Gauge.class",
                        "acme/boost/HandOver.class",
                        "acme/boost/dials/Needle$Inner.class",
                        "acme/boost/dials/Needle.class",
                        "acme/boost/wheel/Hub$Inner.class",
                        "acme/boost/wheel/Hub.class",
                        "acme/boost/woven/GaugePatch$Memory.class",
                        "acme/boost/woven/GaugePatch.class",
                        "acme/wheels/Shared$Inner.class",
                        "acme/wheels/Shared.class");
    }

    /** The control of the test above. */
    @Test
    void packagesOfAFamilyThatTheLineHasStay() throws IOException {
        acme.stock(stock("Gauge"), stock("Valve")).described("acme.Valve", NOW);
        acme.patch(patch("Gauge"), patch("Valve"), Acme.HAND_OVER, own("acme.boost.wheels.Spokes"))
                .weave()
                .succeeds();
        assertThat(out())
                .contains(
                        "acme/boost/wheels/Spokes.class",
                        "acme/boost/woven/ValvePatch.class",
                        "acme/boost/woven/ValvePatch$Memory.class");
    }

    @ParameterizedTest
    @CsvSource({
        "acme.boost.wheels.A, wheels",
        "acme.boost.wheelsets.A, wheelsets",
        "acme.boost.wheelsetx.A, wheels",
        "acme.boost.guard.A, ",
        "acme.boost.A, ",
        "acme.wheels.A, ",
    })
    void aPackageBelongsToTheLongestNameThatItBeginsWith(String type, String family) {
        FamilySwitches switches = new FamilySwitches(Acme.FAMILIES);
        assertThat(switches.familyOf(type, Arrays.asList("wheels", "dials", "wheelsets")))
                .isEqualTo(Optional.ofNullable(family));
    }

    /** What is shared cannot lean on what some lines do not have. */
    @Test
    void sharedClassThatRefersToAnAbsentFamilyIsRefused() throws IOException {
        acme.stock(stock("Gauge")).described("acme.Valve", LATER);
        acme.patch(
                        patch("Gauge"),
                        patch("Valve"),
                        Acme.HAND_OVER,
                        own("acme.boost.wheels.Spokes"),
                        "package acme.boost; public class Shared {"
                                + " Object all = new acme.boost.wheels.Spokes(); }")
                .weave()
                .succeeds();
        Path releases = Files.writeString(folder.resolve("releases.toml"), "");
        Outcome.of(
                        "assemble",
                        "--line=1.4.2",
                        "--boost-version=0.9",
                        "--families=" + Acme.FAMILIES,
                        "--lines=" + acme.lines(),
                        "--releases=" + releases,
                        "--class-path=" + folder.resolve("families") + ":" + acme.jar(),
                        "--woven=" + acme.out(),
                        "--out=" + folder.resolve("boost.jar"))
                .isRefusedWith(
                        "acme.boost.Shared refers to acme.boost.wheels.Spokes, which is missing");
    }
}
