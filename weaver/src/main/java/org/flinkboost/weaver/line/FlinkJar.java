// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipException;

/** A jar of Flink: an official one, checked against a {@link Line}, or somebody's own. */
public final class FlinkJar implements AutoCloseable {

    private final JarFile jar;
    private final Predicate<String> artefacts;

    private FlinkJar(JarFile jar, Predicate<String> artefacts) {
        this.jar = jar;
        this.artefacts = artefacts;
    }

    /**
     * Opens a jar of the line.
     *
     * @throws WeaveException when its manifest names another version, its file name is not the
     *     line's, or its checksum differs
     * @throws IOException when it cannot be read
     */
    public static FlinkJar open(Path path, Line line) throws IOException {
        String name = path.getFileName().toString();
        JarFile jar = opened(path);
        try {
            String found = implementationVersion(jar);
            if (!line.version().equals(found)) {
                throw new WeaveException(
                        name + " is Flink " + found + ", expected Flink " + line.version() + ".");
            }
            String expected = line.jars().get(name);
            if (expected == null) {
                throw new WeaveException(
                        name
                                + " is not a jar of line "
                                + line.version()
                                + ", expected one of "
                                + line.jars().keySet()
                                + ".");
            }
            String actual = Checksum.of(path);
            if (!expected.equals(actual)) {
                throw new WeaveException(
                        name
                                + " is not the official jar of Flink "
                                + line.version()
                                + ": expected SHA-256 "
                                + expected
                                + ", found "
                                + actual
                                + ".");
            }
            return new FlinkJar(jar, artefact -> isOf(name, artefact, line.version()));
        } catch (RuntimeException | IOException e) {
            jar.close();
            throw e;
        }
    }

    /**
     * Opens a jar whose identity nobody has checked, of somebody's own build of Flink.
     *
     * @throws WeaveException when it is not a jar
     */
    public static FlinkJar openAny(Path path) throws IOException {
        return new FlinkJar(opened(path), artefact -> true);
    }

    /** Whether a file is that artefact: {@code flink-runtime_2.11-1.9.3.jar} flink-runtime. */
    static boolean isOf(String file, String artefact, String version) {
        String scala = "(_[0-9.]+)?";
        return file.matches(
                Pattern.quote(artefact) + scala + Pattern.quote("-" + version + ".jar"));
    }

    /** Whether it is the jar of an artefact of Flink's; an own build has one jar for all. */
    public boolean isOf(String artefact) {
        return artefacts.test(artefact);
    }

    public Path path() {
        return Path.of(jar.getName());
    }

    /** File name, as in {@code lines.toml}. */
    public String name() {
        return path().getFileName().toString();
    }

    /** The class file of that binary class name, if this jar has it. */
    public Optional<byte[]> classFile(String className) throws IOException {
        JarEntry entry = jar.getJarEntry(className.replace('.', '/') + ".class");
        if (entry == null) {
            return Optional.empty();
        }
        try (InputStream in = jar.getInputStream(entry)) {
            return Optional.of(in.readAllBytes());
        }
    }

    @Override
    public void close() throws IOException {
        jar.close();
    }

    private static JarFile opened(Path path) throws IOException {
        try {
            return new JarFile(path.toFile());
        } catch (ZipException e) {
            throw new WeaveException(
                    path + " is not a whole jar (" + e.getMessage() + "): fetch it again.", e);
        }
    }

    private static String implementationVersion(JarFile jar) throws IOException {
        Manifest manifest = jar.getManifest();
        if (manifest == null) {
            return "(no manifest)";
        }
        String version =
                manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        return version == null ? "(no Implementation-Version)" : version;
    }
}
