// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verdict on real jars: what fits, and every way in which it does not. */
class VersionGuardTest {

    private static final String STRING_VALUE = "org.apache.flink.types.StringValue";
    private static final String NESTED = "org.apache.flink.core.fs.FileSystem$WriteMode";
    private static final byte[] WOVEN = {1, 2, 3};

    private static byte[] stock;
    private static byte[] nestedStock;

    @TempDir private Path folder;

    @BeforeAll
    static void readStockClasses() throws IOException {
        stock = Jars.stock(STRING_VALUE);
        nestedStock = Jars.stock(NESTED);
    }

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
    void refusesANeighbourThatIsNotWhatOursNeed() throws IOException {
        byte[] neighbour = nestedStock;
        String name = NESTED.replace('.', '/');
        String valueOf = "(Ljava/lang/String;)L" + name + ";";
        String sub = "org/apache/flink/core/fs/UnsupportedFileSystemSchemeException";
        String iface = "org/apache/flink/core/fs/FileSystemFactory";
        String[][] links = {
            {name + " class public", null},
            {name + " interface public", NESTED + " is no interface"},
            {name + " static-method public valueOf " + valueOf, null},
            {
                name + " static-method public valueOf (I)L" + name + ";",
                NESTED + " has no method valueOf(I)L" + name + ";"
            },
            {
                name + " method public valueOf " + valueOf,
                NESTED + " has the method valueOf" + valueOf + " static"
            },
            {name + " static-field public OVERWRITE L" + name + ";", null},
            {
                name + " static-field public APPEND L" + name + ";",
                NESTED + " has no field APPEND L" + name + ";"
            },
            {name + " method private <init> (Ljava/lang/String;I)V", null},
            {
                name + " method public <init> (Ljava/lang/String;I)V",
                NESTED + " has the method <init>(Ljava/lang/String;I)V no longer public"
            },
            {name + " extended", NESTED + " is final"},
            {name + " subtype java/lang/Enum", null},
            {
                name + " subtype org/apache/flink/types/Value",
                NESTED + " is no org.apache.flink.types.Value"
            },
            {sub + " subtype java/io/IOException", null},
            {iface + " extended", iface.replace('/', '.') + " has a new abstract method"},
            {"org/apache/flink/Gone class public", "org.apache.flink.Gone is missing"},
        };
        for (String[] link : links) {
            Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").link(link[0]));
            Path flink =
                    jar(
                            "flink.jar",
                            new Jars.Builder()
                                    .version("2.3.7")
                                    .with(STRING_VALUE, stock)
                                    .with(NESTED, neighbour)
                                    .with(iface.replace('/', '.'), Jars.stock(iface))
                                    .with(sub.replace('/', '.'), Jars.stock(sub)));
            Verdict verdict = check(dropIn, flink);

            assertThat(verdict.fits()).as(verdict.sentence()).isEqualTo(link[1] == null);
            if (link[1] != null) {
                assertThat(verdict.fitsSwitchedOff()).isFalse();
                assertThat(verdict.sentence())
                        .startsWith("flink-boost 0.2.0 for Flink 2.3.0 cannot run in Flink 2.3.7:")
                        .contains("the classes that it replaces are the same, but " + link[1])
                        .contains("remove " + dropIn + " from lib/");
            }
        }
    }

    @Test
    void knowsTheAbstractMethodsThatOursImplement() throws IOException {
        String iface = "org/apache/flink/core/fs/FileSystemFactory";
        Path dropIn =
                jar(
                        "boost.jar",
                        dropInBuilder("2.3.0")
                                .link(iface + " extended")
                                .link(iface + " open getScheme ()Ljava/lang/String;")
                                .link(
                                        iface
                                                + " open create (Ljava/net/URI;)"
                                                + "Lorg/apache/flink/core/fs/FileSystem;"));
        Path flink =
                jar(
                        "flink.jar",
                        new Jars.Builder()
                                .version("2.3.0")
                                .with(STRING_VALUE, stock)
                                .with(iface.replace('/', '.'), Jars.stock(iface)));

        assertThat(check(dropIn, flink).sentence()).doesNotContain("abstract");
        assertThat(check(dropIn, flink).fits()).isTrue();
    }

    /** Flink without flink-runtime, as in a program that only reads and writes records. */
    @Test
    void whatIsNotThereIsNotAskedForWhereFlinkIsThereInPart() throws IOException {
        Path dropIn =
                jar(
                        "boost.jar",
                        dropInBuilder("2.3.0")
                                .with(NESTED, WOVEN)
                                .woven(NESTED, nestedStock)
                                .link("org/apache/flink/Gone class public"));

        assertThat(check(dropIn, flink("2.3.0", stock)).fits()).isTrue();
    }

    @Test
    void refusesADamagedNeighbour() throws IOException {
        Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").link("a/B class public"));
        Path flink =
                jar(
                        "flink.jar",
                        new Jars.Builder()
                                .version("2.3.0")
                                .with(STRING_VALUE, stock)
                                .with("a.B", WOVEN));

        assertThat(check(dropIn, flink).fits()).isFalse();
        assertThat(check(dropIn, flink).sentence()).contains("a/B.class is damaged");
    }

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
    void readsAFolderOfClassesLikeAJar() throws IOException {
        Path classes = folder.resolve("classes");
        Path file = classes.resolve(STRING_VALUE.replace('.', '/') + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, Jars.rebuilt(stock));
        Path manifest = classes.resolve("META-INF/MANIFEST.MF");
        Files.createDirectories(manifest.getParent());
        Files.write(manifest, "Implementation-Version: 2.3.9\n".getBytes("UTF-8"));

        Verdict verdict = check(dropIn("2.3.0"), classes);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence()).contains("found Flink 2.3.9 in " + classes);
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
    void readsJarsInFoldersWithBlanksAndUmlauts() throws IOException {
        Path odd = folder.resolve("Flink größer 100%");
        Path dropIn = dropInBuilder("2.3.0").writeTo(odd.resolve("boost.jar"));
        Path flink =
                new Jars.Builder()
                        .version("2.3.0")
                        .with(STRING_VALUE, Jars.rebuilt(stock))
                        .writeTo(odd.resolve("flink dist.jar"));

        assertThat(check(dropIn, flink).sentence()).contains(flink.toString());
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

    @Test
    void refusesAJarThatLostItsWeaveRecord() throws IOException {
        Path repacked = jar("job.jar", new Jars.Builder().guard().with(STRING_VALUE, WOVEN));

        Verdict verdict = check(repacked, flink("2.3.0", stock));

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.fitsSwitchedOff()).isFalse();
        assertThat(verdict.flinkVersion()).isEqualTo("unknown");
        assertThat(verdict.sentence())
                .startsWith(repacked + " has classes of flink-boost and no " + WeaveRecord.RESOURCE)
                .contains("remove the jar from lib/ or install it anew");
    }

    @Test
    void refusesWhereTheClassLoaderShowsNoFiles() {
        ClassLoader silent =
                new ClassLoader(null) {
                    @Override
                    public Enumeration<URL> getResources(String name) {
                        return Collections.emptyEnumeration();
                    }
                };

        Verdict verdict = VersionGuard.check(silent);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.fitsSwitchedOff()).isFalse();
        assertThat(verdict.sentence())
                .contains("cannot see its own class files")
                .contains("remove it, let its files be read, or make the archive of classes");
    }

    @Test
    void refusesWhereNoClassOfFlinksIsSeen() throws IOException {
        Path dropIn = jar("alone.jar", dropInBuilder("2.3.0").version("0.2.0"));

        assertThat(check(dropIn).fits()).isFalse();
        assertThat(check(dropIn).sentence())
                .isEqualTo(
                        "flink-boost 0.2.0 is built for Flink 2.3.0 but finds none of the classes that it"
                                + " replaces beside "
                                + dropIn
                                + ": put the jar into lib/ of that Flink, let its classes be read,"
                                + " or remove it.");
    }

    /** Of a loader that keeps its files in memory the addresses mean nothing to others. */
    @Test
    void readsAddressesThatOnlyTheirClassLoaderUnderstands() throws IOException {
        Path dropIn = dropIn("2.3.0");
        Path flink = flink("2.3.0", stock);
        Path other = flink("2.2.1", new byte[] {4});

        assertThat(VersionGuard.check(inMemory(dropIn, flink)).fits()).isTrue();
        assertThat(VersionGuard.check(inMemory(dropIn, other)).sentence())
                .contains("is built for Flink 2.3.0 but found Flink 2.2.1 in mem:/1/");
    }

    private static ClassLoader inMemory(Path... jars) throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < jars.length; i++) {
            try (JarFile jar = new JarFile(jars[i].toFile())) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    byte[] content = jar.getInputStream(entry).readAllBytes();
                    files.put("/" + i + "/" + entry.getName(), content);
                }
            }
        }
        URLStreamHandler handler =
                new URLStreamHandler() {
                    @Override
                    protected URLConnection openConnection(URL url) {
                        return new URLConnection(url) {
                            @Override
                            public void connect() {
                                connected = true;
                            }

                            @Override
                            public InputStream getInputStream() throws IOException {
                                byte[] content = files.get(getURL().getPath());
                                if (content == null) {
                                    throw new FileNotFoundException(getURL().toString());
                                }
                                return new ByteArrayInputStream(content);
                            }
                        };
                    }
                };
        return new ClassLoader(null) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                List<URL> found = new ArrayList<>();
                for (String file : files.keySet()) {
                    if (file.replaceFirst("^/\\d+/", "").equals(name)) {
                        found.add(new URL(null, "mem:" + file, handler));
                    }
                }
                return Collections.enumeration(found);
            }
        };
    }

    @Test
    void refusesADamagedWeaveRecord() throws IOException {
        Path flink = flink("2.3.0", stock);
        Path noClass = jar("no-class.jar", new Jars.Builder().guard().wovenFor("2.3.0"));
        Path noVersion =
                jar("no-version.jar", new Jars.Builder().guard().woven(STRING_VALUE, stock));
        Path notProperties =
                jar("odd.jar", new Jars.Builder().guard().withText(WeaveRecord.RESOURCE, "\\u00"));

        assertThat(check(noClass, flink).fits()).isFalse();
        assertThat(check(noClass, flink).sentence()).contains("damaged (it lists no woven class)");
        assertThat(check(noVersion, flink).fits()).isFalse();
        assertThat(check(noVersion, flink).sentence()).contains("it has no flink.version");
        assertThat(check(notProperties, flink).fits()).isFalse();
        assertThat(check(notProperties, flink).sentence()).contains("is damaged");
        for (String link : new String[] {"a/B", "a/B likes C", "a/B method public name"}) {
            Path odd = jar("odd-link.jar", dropInBuilder("2.3.0").link(link));
            assertThat(check(odd, jar("far.jar", new Jars.Builder().with(STRING_VALUE, stock))))
                    .extracting(Verdict::sentence)
                    .asString()
                    .contains("is damaged ('" + link + "' is no link)");
        }
    }

    @Test
    void refusesWhenTheClassPathCannotBeRead() {
        ClassLoader broken =
                new ClassLoader(null) {
                    @Override
                    public Enumeration<URL> getResources(String name) throws IOException {
                        throw new IOException("bad sector");
                    }
                };

        Verdict verdict = VersionGuard.check(broken);

        assertThat(verdict.fits()).isFalse();
        assertThat(verdict.sentence())
                .contains("bad sector")
                .contains("remove the flink-boost jar");
    }

    private Verdict check(Path... classPath) throws IOException {
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            return VersionGuard.check(loader);
        }
    }

    private Path dropIn(String builtFor) throws IOException {
        return jar("flink-boost-" + builtFor + "-0.2.0.jar", dropInBuilder(builtFor));
    }

    private static Jars.Builder dropInBuilder(String builtFor) throws IOException {
        return new Jars.Builder()
                .guard()
                .wovenFor(builtFor)
                .woven(STRING_VALUE, stock)
                .with(STRING_VALUE, WOVEN);
    }

    private Path flink(String version, byte[] stringValue) throws IOException {
        return jar(
                "flink-dist-" + version + ".jar",
                new Jars.Builder().version(version).with(STRING_VALUE, stringValue));
    }

    private Path jar(String name, Jars.Builder builder) throws IOException {
        return builder.writeTo(folder.resolve(name));
    }
}
