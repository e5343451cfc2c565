// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** The verdict on versions and classes: what fits, and every way in which it does not. */
class VersionGuardTest extends MadeJars {

    @Test
    void fitsTheVersionItWasWovenFor() throws IOException {
        Verdict verdict = check(dropIn("2.3.0"), flink("2.3.0", stock));

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.flinkVersion()).isEqualTo("2.3.0");
        assertThat(verdict.boostVersion()).isEqualTo("0.2.0");
        assertThat(verdict.sentence())
                .isEqualTo("the class files it replaces are those of this version");
    }

    @Test
    void refusesAnotherVersionAndNamesBothAndTheFix() throws IOException {
        Path dropIn = dropIn("2.3.0");
        Path flink = flink("1.20.5", Jars.rebuilt(stock));

        Verdict verdict = check(dropIn, flink);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.fitsSwitchedOff()).isFalse();
        assertThat(verdict.sentence())
                .isEqualTo(
                        "flink-boost 0.2.0 is built for Flink 2.3.0 but found Flink 1.20.5 in "
                                + flink
                                + ", which has another "
                                + STRING_VALUE
                                + ": remove "
                                + dropIn
                                + " from lib/, and run `flink-boost install FLINK_HOME`, which"
                                + " puts the jar for these classes there, with --weave one that it"
                                + " makes if no release has them.");
    }

    @Test
    void acceptsAClassFileThatDoesTheSameAndNoOther() throws IOException {
        byte[] equal = Jars.rebuilt(stock);
        byte[] another = nestedStock;
        Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").woven(STRING_VALUE, stock, equal));

        assertThat(check(dropIn, flink("2.2.9", equal)).fits()).isTrue();

        Verdict verdict = check(dropIn, flink("2.2.9", another));
        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence()).contains("which has another " + STRING_VALUE);
    }

    @Test
    void refusesARebuildUnderTheSameNumberWithClassAndChecksums() throws IOException {
        byte[] rebuilt = Jars.rebuilt(stock);
        Path flink = flink("2.3.0", rebuilt);

        Verdict verdict = check(dropIn("2.3.0"), flink);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence())
                .contains("built for the official Flink 2.3.0")
                .contains("rebuild or vendor version of the same number, 2.3.0, in " + flink)
                .contains(
                        "SHA-256 of class "
                                + STRING_VALUE
                                + " is "
                                + Jars.sha256(rebuilt)
                                + ", expected "
                                + Jars.sha256(stock))
                .contains("from lib/, run the official Flink 2.3.0, or run `flink-boost install")
                .endsWith(" for these classes if they do what the official ones do.");
    }

    @Test
    void runsOnAReleaseItHasNeverHeardOfWithTheSameClasses() throws IOException {
        Verdict verdict = check(dropIn("2.3.0"), flink("2.3.1", stock));

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.inUse()).isTrue();
        assertThat(verdict.flinkVersion()).isEqualTo("2.3.0");
        assertThat(verdict.sentence())
                .isEqualTo("Flink 2.3.1: not on the list of tested releases, same classes");
    }

    @Test
    void saysWhenAReleaseIsOnTheListOfTestedOnes() throws IOException {
        Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").testedOn("2.1.0 2.1.1"));
        Path fatJar = jar("job.jar", new Jars.Builder().version("7").with(STRING_VALUE, stock));

        assertThat(check(dropIn, flink("2.1.1", stock)).sentence())
                .isEqualTo("Flink 2.1.1: on the list of tested releases, same classes");
        assertThat(check(dropIn, flink("2.1.1", stock), fatJar).sentence())
                .startsWith("Flink 2.1.1: on the list");
        assertThat(check(dropIn, fatJar, flink("2.1.2", stock)).sentence())
                .isEqualTo("Flink 2.1.2: not on the list of tested releases, same classes");
    }

    @Test
    void aJarForAnOwnBuildSaysThatItWasMadeForIt() throws IOException {
        String own = "2.3.0-own-0123456789ab";
        Path dropIn = jar("boost.jar", dropInBuilder(own).wovenLike("2.3.0"));

        Verdict verdict = check(dropIn, flink("1.17.2-acme", stock));

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.sentence())
                .isEqualTo("Flink 1.17.2-acme: the jar was made for the classes of this build");
    }

    @Test
    void aJarForAnOwnBuildThatWasRebuiltNamesTheWayToANewOne() throws IOException {
        byte[] rebuilt = Jars.rebuilt(stock);
        String own = "2.3.0-own-0123456789ab";
        Jars.Builder builder = dropInBuilder(own).wovenLike("2.3.0");
        Path dropIn = jar("boost.jar", builder);
        Path flink = flink("1.17.2-acme", rebuilt);

        Verdict verdict = check(dropIn, flink);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence())
                .startsWith("flink-boost 0.2.0 is built for Flink " + own + " but found Flink 1.17")
                .endsWith(
                        STRING_VALUE
                                + ": this jar was made for another build, so run `flink-boost"
                                + " install FLINK_HOME --weave`, which makes one for these classes,"
                                + " or remove "
                                + dropIn
                                + " from lib/.");
    }

    @Test
    void aNumberOfSomebodysOwnIsShownAsAPartOfOneLine() throws IOException {
        String hostile = "1\u001b[31m\u2028x" + String.join("", Collections.nCopies(300, "9"));

        Jars.Builder flink = new Jars.Builder().version(hostile).with(STRING_VALUE, stock);

        String sentence = check(dropIn("2.3.0"), jar("flink.jar", flink)).sentence();

        assertThat(sentence).matches("Flink 1\\?\\[31m\\?x9{56}: not on the list .*");
    }

    @Test
    void runsOnEqualBytesWhereNoJarNamesItsVersion() throws IOException {
        Path unnamed = jar("unnamed.jar", new Jars.Builder().with(STRING_VALUE, stock));

        Verdict verdict = check(dropIn("2.3.0"), unnamed);

        assertThat(verdict.fits()).isTrue();
        assertThat(verdict.sentence())
                .isEqualTo(
                        "a Flink without a version number: not on the list of tested releases,"
                                + " same classes");
    }

    @Test
    void refusesOtherBytesInAJarWithoutVersionNumber() throws IOException {
        Path flink = jar("flink.jar", new Jars.Builder().with(STRING_VALUE, Jars.rebuilt(stock)));

        Verdict verdict = check(dropIn("2.3.0"), flink);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence())
                .contains("found a Flink without a version number in " + flink);
    }

    @Test
    void comparesEveryWovenClassNestedOnesToo() throws IOException {
        Path dropIn =
                jar(
                        "boost.jar",
                        dropInBuilder("2.3.0").with(NESTED, WOVEN).woven(NESTED, nestedStock));
        Jars.Builder flink = new Jars.Builder().version("2.3.0").with(STRING_VALUE, stock);
        Path right = jar("right.jar", flink.with(NESTED, nestedStock));
        Path wrong = jar("wrong.jar", flink.with(NESTED, Jars.rebuilt(nestedStock)));

        assertThat(check(dropIn, right).fits()).isTrue();
        assertThat(check(dropIn, wrong).sentence()).contains("class " + NESTED + " is");
    }

    @Test
    void goesByTheManifestWhenOurClassesWerePutIntoFlinksJar() throws IOException {
        Path right = jar("right.jar", dropInBuilder("2.3.0").version("2.3.0"));
        Path wrong = jar("wrong.jar", dropInBuilder("2.3.0").version("1.20.5"));
        Path unnamed = jar("unnamed.jar", dropInBuilder("2.3.0"));

        assertThat(check(right).fits()).isTrue();
        assertThat(check(right).sentence())
                .isEqualTo("the manifest of " + right + " names this version");
        assertThat(check(wrong).fits()).isFalse();
        assertThat(check(wrong).sentence())
                .isEqualTo(
                        "flink-boost 0.2.0 is built for Flink 2.3.0 but found Flink 1.20.5 in "
                                + wrong
                                + ": put the original jar back, or install the flink-boost jar for"
                                + " Flink 1.20.5.");
        assertThat(check(unnamed).fits()).isFalse();
        assertThat(check(unnamed).sentence()).contains("found a Flink without a version number");
    }

    @Test
    void refusesJava8AndNamesIt() throws IOException {
        Path dropIn = dropIn("1.9.3");
        try (URLClassLoader loader = Jars.classPath(dropIn, flink("1.9.3", stock))) {
            for (String newer : new String[] {"9", "10", "11", "17", "21", null}) {
                assertThat(VersionGuard.check(loader, newer, Switches.none()).fits())
                        .as(newer)
                        .isTrue();
            }
            Verdict verdict = VersionGuard.check(loader, "1.8", Switches.none());

            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.sentence())
                    .isEqualTo(
                            "flink-boost 0.2.0 for Flink 1.9.3 needs Java 9 or newer but found"
                                    + " Java 1.8: run Flink on a newer Java, or remove "
                                    + dropIn
                                    + " from lib/.");
        }
    }
}
