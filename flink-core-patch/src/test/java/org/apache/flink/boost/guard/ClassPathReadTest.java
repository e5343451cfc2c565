// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
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
import org.apache.flink.boost.guard.classpath.WeaveRecord;
import org.junit.jupiter.api.Test;

/** Class paths of all kinds, what cannot be read of them, and records that are lost or damaged. */
class ClassPathReadTest extends MadeJars {

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
}
