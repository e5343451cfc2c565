// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which class of the line a patch is for: none, one or several, or nothing says so. */
class PatchTargetTest {

    private static final String GAUGE =
            "package acme; public class Gauge { int level; public static void note(int n) {} }";

    private static final String NOTE =
            "@Replaces public static boolean note(int n) { return true; }";

    private static final String SINCE_LATER = "jar = \"acme\", family = \"dials\", since = \"1.5\"";

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8).stock(GAUGE, "package acme; public class Valve {}");
    }

    @Test
    void classThatNoLineHas() throws IOException {
        acme.classSum("acme.Gauge", null);
        refused(
                Acme.replacing(NOTE),
                "acme.boost.GaugePatch patches acme.Gauge",
                "expected a class that [patched] names, found [acme.Valve]");
    }

    @Test
    void twoOfTheLinesClasses() throws IOException {
        refused(
                Acme.replacing(NOTE)
                        .replace("(\"acme.Gauge\")", "({\"acme.Gauge\", \"acme.Valve\"})"),
                "acme.boost.GaugePatch patches [acme.Gauge, acme.Valve]",
                "expected at most one of them among the classes of line 1.4.2",
                "found [acme.Gauge, acme.Valve]");
    }

    /** The same names where only one of them belongs to the line: that one is woven. */
    @Test
    void oneOfTwoNamesIsTheLinesClass() throws IOException {
        acme.classSum("acme.Valve", null).described("acme.Valve", SINCE_LATER);
        acme.patch(
                        Acme.replacing(NOTE)
                                .replace("(\"acme.Gauge\")", "({\"acme.Valve\", \"acme.Gauge\"})"))
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

    private void refused(String patch, String... parts) throws IOException {
        acme.patch(patch).isRefusedWith(parts);
    }
}
