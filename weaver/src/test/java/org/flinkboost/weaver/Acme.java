// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.flinkboost.weaver.line.Checksum;
import org.flinkboost.weaver.line.LinesFile;
import org.flinkboost.weaver.line.PatchedClass;

/**
 * A made-up product in a folder of its own: release 1.4.2, one jar, some patches, a lines.toml that
 * describes the jar as it really is. A test changes one of these things and looks what happens.
 *
 * <p>The product has nothing to do with Flink or strings, and neither has the weaver.
 */
public final class Acme {

    public static final String VERSION = "1.4.2";
    static final String JAR = "acme-1.4.2.jar";
    public static final String FAMILIES = "acme.boost.guard.Families";

    /**
     * On, unless a file "switched-off" is on the class path, for wheels also "wheels-off": each
     * class loader has its own. It notes which classes ask.
     */
    private static final String FAMILIES_SOURCE =
            """
            package acme.boost.guard;
            public final class Families {
                public static final boolean DIALS = isMissing("switched-off");
                public static final boolean WHEELS = DIALS && isMissing("wheels-off");
                public static final boolean VALVES = DIALS;
                public static String asked = "";
                public static void require() {
                    asked += new Throwable().getStackTrace()[1].getClassName() + " ";
                }
                private static boolean isMissing(String file) {
                    return Families.class.getResource("/" + file) == null;
                }
            }
            """;

    /** The object that means "stock's body", for patches that return objects. */
    public static final String HAND_OVER =
            """
            package acme.boost;
            public final class HandOver {
                @org.flinkboost.weaver.patch.HandOver
                public static final Object TO_STOCK = new StringBuilder("stock");
            }
            """;

    public final Path root;
    private final int release;
    private final Map<String, String> manifest = new LinkedHashMap<>();
    private final Map<String, String> jars = new TreeMap<>();
    private final Map<String, String> classes = new TreeMap<>();
    private final Map<String, String> described = new TreeMap<>();
    private final List<Path> beside = new ArrayList<>();

    /** An empty product whose classes are compiled for that Java release. */
    public Acme(Path root, int release) throws IOException {
        this.root = root;
        this.release = release;
        manifest.put("Implementation-Version", VERSION);
        JavaSources.compile(familiesFolder(), release, List.of(), FAMILIES_SOURCE);
        Files.createDirectories(root.resolve("off"));
        Files.writeString(root.resolve("off/switched-off"), "");
        Files.createDirectories(root.resolve("half"));
        Files.writeString(root.resolve("half/wheels-off"), "");
    }

    Path jar() {
        return root.resolve(JAR);
    }

    public Path patches() {
        return root.resolve("patches");
    }

    Path out() {
        return root.resolve("woven");
    }

    Path lines() {
        return root.resolve("lines.toml");
    }

    private Path familiesFolder() {
        return root.resolve("families");
    }

    /** Sets a main attribute of the jar's manifest; null takes it away. */
    Acme manifest(String name, String value) {
        manifest.put(name, value);
        return this;
    }

    /** Compiles the product and packs its jar; lines.toml gets the real checksums. */
    public Acme stock(String... sources) throws IOException {
        Path folder = root.resolve("stock");
        JavaSources.compile(folder, release, List.of(), sources);
        return stock(files(folder));
    }

    /** The same with class files by path in the jar. */
    Acme stock(Map<String, byte[]> files) throws IOException {
        Files.write(jar(), packed(files));
        jars.clear();
        classes.clear();
        jars.put(JAR, Checksum.of(jar()));
        classes.putAll(checksums(files));
        return this;
    }

    /** A second jar of the release, whose classes lines.toml says to be in that artefact. */
    Acme beside(Path file, String artefact, String... sources) throws IOException {
        Path folder = root.resolve("stock-of-" + artefact);
        JavaSources.compile(folder, release, List.of(jar()), sources);
        Files.createDirectories(file.getParent());
        Files.write(file, packed(files(folder)));
        jars.put(file.getFileName().toString(), Checksum.of(file));
        beside.add(file);
        checksums(files(folder))
                .forEach(
                        (name, sum) -> {
                            classes.put(name, sum);
                            described(name, "jar = \"" + artefact + "\", family = \"dials\"");
                        });
        return this;
    }

    private static Map<String, String> checksums(Map<String, byte[]> files) {
        Map<String, String> sums = new TreeMap<>();
        files.forEach(
                (path, bytes) ->
                        sums.put(
                                path.substring(0, path.length() - ".class".length())
                                        .replace('/', '.'),
                                Checksum.of(bytes)));
        return sums;
    }

    /** What lines.toml says of a class, which the release need not have. */
    Acme described(String name, String entry) {
        described.put(name, entry);
        return this;
    }

    /** Compiles the patches against the jar. */
    public Acme patch(String... sources) throws IOException {
        JavaSources.compile(patches(), release, classPath(), sources);
        return this;
    }

    private List<Path> classPath() {
        List<Path> all = new ArrayList<>(List.of(jar(), familiesFolder()));
        all.addAll(beside);
        return all;
    }

    /** Puts another checksum into lines.toml for the jar. */
    Acme jarSum(String checksum) {
        jars.put(JAR, checksum);
        return this;
    }

    /** Puts another checksum into the lock for a class; null takes the class out of lines.toml. */
    Acme classSum(String name, String checksum) {
        classes.put(name, checksum);
        return this;
    }

    /** Runs the command, with a new lines.toml. */
    Outcome weave() throws IOException {
        return weaveInto(out());
    }

    Outcome weaveInto(Path folder) throws IOException {
        writeLines();
        return Outcome.of(arguments(folder).toArray(String[]::new));
    }

    /** The command's arguments, to be changed by a test. */
    List<String> arguments(Path folder) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "weave",
                                "--lines=" + lines(),
                                "--line=" + VERSION,
                                "--jar=" + jar(),
                                "--patches=" + patches(),
                                "--class-path=" + familiesFolder(),
                                "--families=" + FAMILIES,
                                "--module=acme-boost",
                                "--boost-version=0.2.0",
                                "--out=" + folder));
        beside.forEach(each -> arguments.add("--jar=" + each));
        return arguments;
    }

    /** Weaving must fail with all those parts in its sentence, and leave former output alone. */
    void isRefusedWith(String... parts) throws IOException {
        Files.createDirectories(out());
        Files.writeString(out().resolve("former"), "output");
        Map<String, byte[]> before = files(out());
        weave().isRefusedWith(parts);
        assertThat(files(out())).containsExactlyEntriesOf(before);
        assertThat(root.resolve("woven.part")).doesNotExist();
    }

    void writeLines() throws IOException {
        writeLines(lines(), this);
    }

    /** The same for products of one release whose classes go into one jar. */
    static void writeLines(Path file, Acme... products) throws IOException {
        StringBuilder text = new StringBuilder("default = \"" + VERSION + "\"\n[patched]\n");
        StringBuilder lock = new StringBuilder();
        StringBuilder jars = new StringBuilder("[lines.\"" + VERSION + "\".jars]\n");
        for (Acme product : products) {
            product.classes.values().removeIf(Objects::isNull);
            Map<String, String> entries = new TreeMap<>(product.described);
            product.classes.forEach(
                    (name, sum) -> {
                        entries.putIfAbsent(name, "jar = \"acme\", family = \"dials\"");
                        lock.append("[[\"" + name + "\"]]\n" + sum + " = [\"" + VERSION + "\"]\n");
                    });
            entries.forEach((name, entry) -> text.append("\"" + name + "\" = { " + entry + " }\n"));
        }
        products[0].jars.forEach(
                (name, sum) -> jars.append("\"" + name + "\" = \"" + sum + "\"\n"));
        text.append("[lines.\"" + VERSION + "\"]\nenabled = true\n").append(jars);
        Files.writeString(file, text);
        Files.writeString(file.resolveSibling(LinesFile.LOCK), lock);
    }

    /** What lines.toml and the lock say of a class with that checksum. */
    static PatchedClass patched(String checksum) {
        return new PatchedClass("acme", "dials", checksum, List.of());
    }

    /** A class loader that sees the product alone. */
    URLClassLoader stockLoader() throws IOException {
        return loader(jar());
    }

    /** A class loader with the woven classes in front of the product, as in a lib folder. */
    URLClassLoader wovenLoader(boolean switchedOn) throws IOException {
        return switchedOn
                ? loader(out(), familiesFolder(), jar())
                : loader(out(), root.resolve("off"), familiesFolder(), jar());
    }

    /** The same with the family of wheels switched off. */
    URLClassLoader loaderWithoutWheels() throws IOException {
        return loader(out(), root.resolve("half"), familiesFolder(), jar());
    }

    private static URLClassLoader loader(Path... entries) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : entries) {
            urls.add(entry.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private byte[] packed(Map<String, byte[]> files) throws IOException {
        Manifest written = new Manifest();
        written.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.forEach(
                (name, value) -> {
                    if (value != null) {
                        written.getMainAttributes().putValue(name, value);
                    }
                });
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes, written)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                jar.putNextEntry(new ZipEntry(file.getKey()));
                jar.write(file.getValue());
            }
        }
        return bytes.toByteArray();
    }

    /** Contents of all files below a folder, by relative path. */
    public static Map<String, byte[]> files(Path folder) throws IOException {
        Map<String, byte[]> result = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                result.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return result;
    }

    /** A public patch class of {@code acme.Gauge} with the given members. */
    public static String replacing(String... members) {
        return patchType("final class GaugePatch", members);
    }

    /** A public interface that {@code acme.Gauge} shall implement. */
    public static String accessing(String... members) {
        return patchType("interface GaugeAccess", members);
    }

    private static String patchType(String type, String... members) {
        return "package acme.boost; import acme.Gauge; import org.flinkboost.weaver.patch.*;"
                + " @Patches(\"acme.Gauge\") public "
                + type
                + " { "
                + String.join("\n", Arrays.asList(members))
                + " }";
    }
}
