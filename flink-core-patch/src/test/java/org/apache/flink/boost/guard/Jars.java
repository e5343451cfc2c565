// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.apache.flink.boost.guard.classpath.AsideClasses;
import org.apache.flink.boost.guard.classpath.WeaveRecord;
import org.apache.flink.core.fs.FileSystem;

/** Writes the jars that the tests of the guard put on a class path of their own. */
final class Jars {

    private static final String SERVICE =
            "META-INF/services/org.apache.flink.core.fs.FileSystemFactory";

    private Jars() {}

    /** A jar in the making; every method returns the same object. */
    static final class Builder {

        private final Map<String, byte[]> entries = new LinkedHashMap<>();
        private final Properties weave = new Properties();
        private final Manifest manifest = new Manifest();

        Builder() {
            manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        }

        Builder version(String implementationVersion) {
            manifest.getMainAttributes()
                    .put(Attributes.Name.IMPLEMENTATION_VERSION, implementationVersion);
            return this;
        }

        Builder with(String className, byte[] content) {
            entries.put(className.replace('.', '/') + ".class", content);
            return this;
        }

        /** Takes out a class that is there. */
        Builder without(String className) {
            assertThat(entries.remove(className.replace('.', '/') + ".class")).isNotNull();
            return this;
        }

        /** A woven class where no class loader looks. */
        Builder aside(String className, byte[] content) {
            entries.put(AsideClasses.FOLDER + className.replace('.', '/') + ".class", content);
            return this;
        }

        Builder withText(String name, String content) {
            entries.put(name, content.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        /** All classes of our own and the service entry, as a drop-in jar holds them. */
        Builder guard() throws IOException {
            Path classes = origin(VersionGuard.class);
            try (Stream<Path> files = Files.walk(classes.resolve("org/apache/flink/boost"))) {
                for (Path file : files.filter(Files::isRegularFile).toArray(Path[]::new)) {
                    entries.put(classes.relativize(file).toString(), Files.readAllBytes(file));
                }
            }
            return withText(SERVICE, GuardFileSystemFactory.class.getName() + "\n");
        }

        Builder wovenFor(String flinkVersion) {
            weave.setProperty("flink.version", flinkVersion);
            weave.setProperty("boost.version", "0.2.0");
            return this;
        }

        /** Says that the class was woven from those bytes, and that others do the same. */
        Builder woven(String className, byte[] stock, byte[]... equal) {
            StringBuilder checksums = new StringBuilder(sha256(stock));
            for (byte[] other : equal) {
                checksums.append(' ').append(sha256(other));
            }
            weave.setProperty("class." + className, checksums.toString());
            return this;
        }

        /** Says which family a woven class is of. */
        Builder family(String className, String family) {
            weave.setProperty("family." + className, family);
            return this;
        }

        /** Says which jar of Flink's a woven class is from. */
        Builder flinkJar(String className, String jar) {
            weave.setProperty("jar." + className, jar);
            return this;
        }

        Builder testedOn(String releases) {
            weave.setProperty("tested", releases);
            return this;
        }

        /** Says that it was made for somebody's own build, with the patches of that line. */
        Builder wovenLike(String line) {
            weave.setProperty("own.line", line);
            return this;
        }

        /** Says that our classes need something of others. */
        Builder link(String link) {
            weave.setProperty("link." + weave.size(), link);
            return this;
        }

        /** Says that those of a family whose classes lie aside need it besides. */
        Builder linkOf(String family, String link) {
            weave.setProperty("link." + family + "." + weave.size(), link);
            return this;
        }

        Path writeTo(Path jar) throws IOException {
            Files.createDirectories(jar.getParent());
            if (!weave.isEmpty()) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                weave.store(out, null);
                entries.put(WeaveRecord.RESOURCE, out.toByteArray());
            }
            try (OutputStream file = Files.newOutputStream(jar);
                    JarOutputStream out = new JarOutputStream(file, manifest)) {
                for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                    out.putNextEntry(new JarEntry(entry.getKey()));
                    out.write(entry.getValue());
                }
            }
            return jar;
        }
    }

    /** The jar that flink-core comes from in this build. */
    static Path flinkCore() {
        return origin(FileSystem.class);
    }

    /** The jar or folder that a class was loaded from. */
    private static Path origin(Class<?> type) {
        try {
            return Paths.get(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The version in the manifest of {@link #flinkCore}. */
    static String flinkVersion() throws IOException {
        try (JarFile jar = new JarFile(flinkCore().toFile())) {
            return jar.getManifest()
                    .getMainAttributes()
                    .getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        }
    }

    /** A class file of {@link #flinkCore}. */
    static byte[] stock(String className) throws IOException {
        try (JarFile jar = new JarFile(flinkCore().toFile());
                InputStream in =
                        jar.getInputStream(
                                jar.getJarEntry(className.replace('.', '/') + ".class"))) {
            return readAll(in);
        }
    }

    /** Other bytes for the same class; no test loads them, because ours stands in front. */
    static byte[] rebuilt(byte[] classFile) {
        byte[] changed = Arrays.copyOf(classFile, classFile.length);
        changed[changed.length - 1] ^= 1;
        return changed;
    }

    /** The same class file with another name in its pool of constants. */
    static byte[] renamed(byte[] classFile, String name, String other) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] old = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < classFile.length; ) {
            boolean here =
                    i + 2 + old.length <= classFile.length
                            && classFile[i] == 0
                            && classFile[i + 1] == old.length
                            && Arrays.equals(
                                    Arrays.copyOfRange(classFile, i + 2, i + 2 + old.length), old);
            if (here) {
                out.write(0);
                out.write(other.length());
                out.write(other.getBytes(StandardCharsets.UTF_8));
                i += 2 + old.length;
            } else {
                out.write(classFile[i++]);
            }
        }
        return out.toByteArray();
    }

    static String sha256(byte[] content) {
        try {
            StringBuilder hex = new StringBuilder();
            for (byte b : MessageDigest.getInstance("SHA-256").digest(content)) {
                hex.append(String.format("%02x", b));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A class path of exactly these entries and the JDK. */
    static URLClassLoader classPath(Path... entries) {
        return new URLClassLoader(urls(entries), null);
    }

    static URL[] urls(Path... entries) {
        return Arrays.stream(entries).map(Jars::url).toArray(URL[]::new);
    }

    static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }
}
