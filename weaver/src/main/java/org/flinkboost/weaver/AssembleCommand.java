// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import net.bytebuddy.dynamic.ClassFileLocator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code assemble}: the drop-in jar from the woven folders of all modules; same input, same bytes.
 */
@Command(
        name = "assemble",
        description = "Make the drop-in jar from folders of woven classes.",
        mixinStandardHelpOptions = true)
final class AssembleCommand implements Callable<Integer> {

    /** The first instant that a zip entry can carry without time-zone trouble. */
    private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    @Option(names = "--lines", required = true, description = "The file lines.toml.")
    private Path lines;

    @Option(names = "--releases", required = true, description = "The file releases.toml.")
    private Path releases;

    @Option(names = "--line", required = true, description = "Flink release of the classes.")
    private String flinkVersion;

    @Option(names = "--boost-version", required = true, description = "Version of flink-boost.")
    private String boostVersion;

    @Option(names = "--woven", required = true, description = "Woven folder; may be repeated.")
    private List<Path> folders;

    @Option(
            names = "--class-path",
            split = ":",
            description = "Folders and jars that the classes refer to.")
    private List<Path> classPath = List.of();

    @Option(names = "--licence", description = "File to put into META-INF; may be repeated.")
    private List<Path> licences = List.of();

    @Option(names = "--out", required = true, description = "The jar to write.")
    private Path out;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Map<String, byte[]> entries = new TreeMap<>();
        Map<String, String> checksums = new TreeMap<>();
        for (Path folder : folders) {
            checksums.putAll(WovenClasses.read(folder, flinkVersion));
            addAll(folder, entries);
        }
        for (Path licence : licences) {
            add(entries, "META-INF/" + licence.getFileName(), licence);
        }
        String description =
                new WeaveRecord(flinkVersion, boostVersion)
                        .classes(checksums)
                        .otherLines(Line.readAll(lines))
                        .tested(TestedReleases.read(releases, flinkVersion))
                        .links(links(entries))
                        .text();
        entries.put(WeaveRecord.RESOURCE, description.getBytes(StandardCharsets.ISO_8859_1));
        write(entries);
        spec.commandLine()
                .getOut()
                .printf("Wrote %s (%d entries)%n", out.getFileName(), entries.size());
        return 0;
    }

    private Set<String> links(Map<String, byte[]> entries) throws IOException {
        List<byte[]> classFiles =
                entries.entrySet().stream()
                        .filter(entry -> entry.getKey().endsWith(".class"))
                        .map(Map.Entry::getValue)
                        .toList();
        try (ClassFileLocator locator = ClassPath.locator(classPath)) {
            return Links.of(classFiles, locator);
        }
    }

    private static void addAll(Path folder, Map<String, byte[]> entries) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                String name = folder.relativize(file).toString().replace('\\', '/');
                if (name.equals(JarFile.MANIFEST_NAME) || name.startsWith(WovenClasses.MODULES)) {
                    continue;
                }
                add(entries, name, file);
            }
        }
    }

    private static void add(Map<String, byte[]> entries, String name, Path file)
            throws IOException {
        if (entries.put(name, Files.readAllBytes(file)) != null) {
            throw new WeaveException(
                    name + " comes from two places: expected one, found it again as " + file + ".");
        }
    }

    private void write(Map<String, byte[]> entries) throws IOException {
        Files.createDirectories(out.toAbsolutePath().getParent());
        Path aside = out.resolveSibling(out.getFileName() + ".part");
        try {
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(aside))) {
                put(zip, JarFile.MANIFEST_NAME, manifest());
                for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                    put(zip, entry.getKey(), entry.getValue());
                }
            }
            Files.move(aside, out, ATOMIC_MOVE, REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
    }

    private byte[] manifest() throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.IMPLEMENTATION_TITLE, "flink-boost for Flink " + flinkVersion);
        main.put(Attributes.Name.IMPLEMENTATION_VERSION, boostVersion);
        main.put(new Attributes.Name("Flink-Version"), flinkVersion);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        manifest.write(bytes);
        return bytes.toByteArray();
    }

    private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(ENTRY_TIME);
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
    }
}
