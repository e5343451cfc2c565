// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class path has our classes first, and the class loader gives others all the same. */
class LoadedClassesTest {

    private static final String FIRST = "org.apache.flink.core.fs.FileSystem$WriteMode";
    private static final String SECOND = "org.apache.flink.types.StringValue";

    @TempDir private Path folder;

    private Path ours;
    private Path flink;

    @BeforeEach
    void writeJars() throws IOException {
        ours = dropIn().writeTo(folder.resolve("flink-boost.jar"));
        // With what their supertypes are, which a class loader asks for.
        flink = Jars.flinkCore();
    }

    /** Stock's own bytes stand for woven ones. */
    private static Jars.Builder dropIn() throws IOException {
        return new Jars.Builder()
                .guard()
                .wovenFor("2.3.0")
                .woven(FIRST, Jars.stock(FIRST))
                .woven(SECOND, Jars.stock(SECOND))
                .with(FIRST, Jars.stock(FIRST))
                .with(SECOND, Jars.stock(SECOND));
    }

    @Test
    void fitsWhereTheClassesOfTheClassPathAreLoaded() throws IOException {
        Verdict verdict = check();

        assertThat(verdict.fits()).as(verdict.sentence()).isTrue();
        assertThat(verdict.inUse()).isTrue();
    }

    @Test
    void refusesWhereOneIsAnothersUnlessSwitchedOff() throws IOException {
        for (String other : new String[] {FIRST, SECOND}) {
            Verdict verdict = check(other);

            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.fitsSwitchedOff()).isTrue();
            assertThat(verdict.sentence())
                    .isEqualTo(
                            "flink-boost 0.2.0 for Flink 2.3.0 can only work as a whole, but its"
                                    + " class "
                                    + other
                                    + " was loaded from "
                                    + flink
                                    + ", not from "
                                    + ours
                                    + ": make the archive of classes (-XX:AOTCache,"
                                    + " -XX:SharedArchiveFile) anew with this class path, or take"
                                    + " out the Java agent that brings it, or remove "
                                    + ours
                                    + " from lib/.");
        }
    }

    @Test
    void leavesItToStockWhereAllAreAnothers() throws IOException {
        Verdict verdict = check(FIRST, SECOND);

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.inUse()).isFalse();
        assertThat(verdict.sentence())
                .startsWith(
                        "the classes that it replaces were loaded from "
                                + flink
                                + ", not from "
                                + ours
                                + ", so that stock's code runs: make the archive of classes");
    }

    @Test
    void refusesWhereTheGuardItselfIsAnothers() throws IOException {
        Path former = new Jars.Builder().guard().writeTo(folder.resolve("former.jar"));
        flink = former;

        Verdict verdict = check(VersionGuard.class.getName());

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.fitsSwitchedOff()).isFalse();
        assertThat(verdict.sentence())
                .startsWith("flink-boost runs from " + former + ", but the class path has " + ours);
    }

    /** As a Java agent hands it in: under our jar's name, without what the weaver put in. */
    @Test
    void refusesAClassOfOurJarThatIsNotAsItIsThere() throws IOException {
        byte[] woven = Jars.stock(SECOND);
        String key = "org/apache/flink/types/Key";
        // The bytes in the jar say that it has an interface which the loaded class has not.
        byte[] other = Jars.renamed(woven, "org/apache/flink/types/CopyableValue", key);
        ours = dropIn().with(SECOND, other).writeTo(folder.resolve("changed.jar"));
        try (URLClassLoader loader =
                new Other(new URL[] {Jars.url(ours), Jars.url(flink)}) {
                    @Override
                    protected Class<?> findClass(String name) throws ClassNotFoundException {
                        return name.equals(SECOND)
                                ? defineClass(name, woven, 0, woven.length, ofOurs())
                                : super.findClass(name);
                    }
                }) {
            Verdict verdict = VersionGuard.check(loader);

            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.sentence())
                    .contains("its class " + SECOND + " was loaded from " + ours + " and changed,");
        }
    }

    private ProtectionDomain ofOurs() {
        return new ProtectionDomain(new CodeSource(Jars.url(ours), (Certificate[]) null), null);
    }

    private Verdict check(String... others) throws IOException {
        try (URLClassLoader loader =
                new Other(new URL[] {Jars.url(ours), Jars.url(Jars.flinkCore())}, others)) {
            return VersionGuard.check(loader);
        }
    }

    /** Finds files as any class loader does, and some classes elsewhere, as in an archive. */
    private class Other extends URLClassLoader {

        private final Set<String> others;
        private final URLClassLoader elsewhere =
                new URLClassLoader(new URL[] {Jars.url(flink)}, null);

        Other(URL[] classPath, String... others) {
            super(classPath, null);
            this.others = new HashSet<>(Arrays.asList(others));
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            return others.contains(name) ? elsewhere.loadClass(name) : super.findClass(name);
        }

        @Override
        public void close() throws IOException {
            elsewhere.close();
            super.close();
        }
    }
}
