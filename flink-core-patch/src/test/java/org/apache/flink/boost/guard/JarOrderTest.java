// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Several jars with the same classes: in front of ours, behind it, and ours twice. */
class JarOrderTest extends MadeJars {

    @Test
    void acceptsAFatJarWithTheSameClassBesideFlinksOwnJar() throws IOException {
        Path fatJar = jar("job.jar", new Jars.Builder().version("7").with(STRING_VALUE, stock));

        assertThat(check(dropIn("2.3.0"), fatJar, flink("2.3.0", stock)).fits()).isTrue();
    }

    @Test
    void refusesAFatJarWithAnOlderClassBesideFlinksOwnJar() throws IOException {
        Path fatJar =
                jar(
                        "job.jar",
                        new Jars.Builder().version("7").with(STRING_VALUE, Jars.rebuilt(stock)));

        Verdict verdict = check(dropIn("2.3.0"), fatJar, flink("2.3.0", stock));

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence()).contains("found Flink 7 in " + fatJar);
    }

    @Test
    void refusesTwoOfOurJars() throws IOException {
        Path first = jar("boost-a.jar", dropInBuilder("2.3.0"));
        Path second = jar("boost-b.jar", dropInBuilder("1.20.5"));

        Verdict verdict = check(first, second, flink("2.3.0", stock));

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence())
                .isEqualTo(
                        "More than one flink-boost jar is on the class path, "
                                + first
                                + " (built for Flink 2.3.0) and "
                                + second
                                + " (built for Flink 1.20.5): keep only the one for your Flink"
                                + " version in lib/.");
    }

    @Test
    void countsAJarThatTwoClassLoadersSeeOnce() throws IOException {
        Path dropIn = dropIn("2.3.0");
        Path flink = flink("2.3.0", stock);
        try (URLClassLoader parent = Jars.classPath(dropIn, flink);
                URLClassLoader child =
                        new URLClassLoader(new URL[] {Jars.url(dropIn), Jars.url(flink)}, parent)) {
            assertThat(VersionGuard.check(child).fits()).isTrue();
        }
    }

    @Test
    void refusesAJarInFrontThatHasSomeOfTheWovenClasses() throws IOException {
        Path dropIn =
                jar(
                        "flink-boost.jar",
                        dropInBuilder("2.3.0").with(NESTED, WOVEN).woven(NESTED, nestedStock));
        Path flink =
                jar(
                        "flink.jar",
                        new Jars.Builder()
                                .version("2.3.0")
                                .with(STRING_VALUE, stock)
                                .with(NESTED, nestedStock));
        for (String copied : new String[] {STRING_VALUE, NESTED}) {
            byte[] copy = copied.equals(NESTED) ? nestedStock : stock;
            Path front = jar("a-connector.jar", new Jars.Builder().version("7").with(copied, copy));

            Verdict verdict = check(front, dropIn, flink);

            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.inUse()).isFalse();
            assertThat(verdict.fitsSwitchedOff()).isTrue();
            assertThat(verdict.sentence())
                    .isEqualTo(
                            "flink-boost 0.2.0 for Flink 2.3.0 can only work as a whole, but "
                                    + front
                                    + " stands before "
                                    + dropIn
                                    + " on the class path and its class "
                                    + copied
                                    + " is not patched: take Flink's classes out of "
                                    + front
                                    + ", or remove "
                                    + dropIn
                                    + " from lib/.");
            assertThat(check(dropIn, front, flink).fits()).as("behind ours").isTrue();
        }
    }

    /** The variant of a distribution whose Flink jar has our classes inside. */
    @Test
    void ourClassesInsideFlinksJarMayHaveLeftOversBehindButNotInFront() throws IOException {
        Path dist =
                jar(
                        "flink-dist.jar",
                        dropInBuilder("2.3.0")
                                .version("2.3.0")
                                .with(NESTED, WOVEN)
                                .woven(NESTED, nestedStock));
        for (String version : new String[] {null, "7"}) {
            Jars.Builder builder = new Jars.Builder().with(NESTED, nestedStock);
            Path some = jar("some.jar", version == null ? builder : builder.version(version));
            Path all = jar("all.jar", builder.with(STRING_VALUE, stock));

            assertThat(check(dist, some).fits()).as("behind").isTrue();
            assertThat(check(dist, some).inUse()).isTrue();
            assertThat(check(some, dist).fits()).as("in front").isFalse();
            assertThat(check(some, dist).fitsSwitchedOff()).isTrue();
            assertThat(check(some, dist).sentence())
                    .contains("its class " + NESTED + " is not patched")
                    .endsWith("out of " + some + ", or put the original " + dist + " back.");
            assertThat(check(all, dist).fits()).as("all in front").isTrue();
            assertThat(check(all, dist).inUse()).isFalse();
        }
        Path older = jar("older.jar", new Jars.Builder().with(NESTED, Jars.rebuilt(nestedStock)));
        assertThat(check(older, dist).fits()).isFalse();
        assertThat(check(older, dist).fitsSwitchedOff()).isFalse();
    }

    @Test
    void namesAllJarsThatStandInFront() throws IOException {
        Path dropIn =
                jar(
                        "flink-boost.jar",
                        dropInBuilder("2.3.0").with(NESTED, WOVEN).woven(NESTED, nestedStock));
        Path core = flink("2.3.0", stock);
        Path runtime =
                jar("runtime.jar", new Jars.Builder().version("2.3.0").with(NESTED, nestedStock));

        assertThat(check(core, runtime, dropIn).sentence())
                .startsWith(runtime + " and " + core + " stand before " + dropIn + " on the class")
                .contains("bring the classes that it replaces");
    }

    @Test
    void leavesItToStockWhereAllWovenClassesStandInFront() throws IOException {
        Path dropIn = dropIn("2.3.0");
        Path flink = flink("2.3.0", stock);

        Verdict verdict = check(flink, dropIn);

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.inUse()).isFalse();
        assertThat(verdict.sentence())
                .contains(flink + " stands before " + dropIn)
                .contains("so that stock's code runs");
        assertThat(check(dropIn, flink).inUse()).isTrue();
    }
}
