// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.flinkboost.weaver.line.WeaveException;

/** The drop-in jar while it is put together; the same content gives the same bytes. */
public final class DropInJar {

    /** The first instant that a zip entry can carry without time-zone trouble. */
    private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

    private final Map<String, byte[]> entries = new TreeMap<>();
    private final Set<String> doors = new TreeSet<>();

    /** Takes every file of a folder but for what this jar writes itself. */
    public void addAll(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(Files::isRegularFile).sorted().collect(toUnmodifiableList())) {
                String name = folder.relativize(file).toString().replace('\\', '/');
                if (name.equals(JarFile.MANIFEST_NAME)
                        || name.equals(WeaveRecord.RESOURCE)
                        || name.startsWith(WovenClasses.MODULES)) {
                    continue;
                }
                add(name, file);
            }
        }
    }

    /**
     * Takes one file.
     *
     * @throws WeaveException when there is an entry of that name
     */
    public void add(String name, Path file) throws IOException {
        add(name, Files.readAllBytes(file), file.toString());
    }

    /** Takes woven class files by binary name. */
    public void addClasses(Map<String, byte[]> classFiles) {
        classFiles.forEach(
                (name, bytes) -> add(name.replace('.', '/') + ".class", bytes, "a woven class"));
    }

    /** Takes classes out again, by binary name. */
    public void leaveOut(Collection<String> names) {
        names.forEach(name -> entries.remove(name.replace('.', '/') + ".class"));
    }

    /**
     * Lays woven classes where no class loader looks, and the doors of their packages in place; two
     * families may have classes of one package.
     */
    public void setAside(Collection<String> names) {
        for (String name : names) {
            String entry = name.replace('.', '/') + ".class";
            add(AsideClasses.FOLDER + entry, entries.remove(entry), "a class that lies aside");
            String door = AsideClasses.doorBeside(entry);
            if (doors.add(door)) {
                add(door, AsideClasses.door(door), "a door");
            }
        }
    }

    private void add(String name, byte[] content, String source) {
        if (entries.put(name, content) != null) {
            throw new WeaveException(
                    name
                            + " comes from two places: expected one, found it again as "
                            + source
                            + ".");
        }
    }

    /** All class files that it has. */
    List<byte[]> classFiles() {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(".class"))
                .map(Map.Entry::getValue)
                .collect(toUnmodifiableList());
    }

    /** Writes it aside and renames it; returns the number of its entries without the manifest. */
    public int write(Path out, WeaveRecord record) throws IOException {
        entries.put(WeaveRecord.RESOURCE, record.text().getBytes(StandardCharsets.ISO_8859_1));
        Files.createDirectories(out.toAbsolutePath().getParent());
        Path aside = out.resolveSibling(out.getFileName() + ".part");
        try {
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(aside))) {
                put(zip, JarFile.MANIFEST_NAME, manifest(record));
                for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                    put(zip, entry.getKey(), entry.getValue());
                }
            }
            Files.move(aside, out, ATOMIC_MOVE, REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        return entries.size();
    }

    private static byte[] manifest(WeaveRecord record) throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(
                Attributes.Name.IMPLEMENTATION_TITLE,
                "flink-boost for Flink " + record.flinkVersion());
        main.put(Attributes.Name.IMPLEMENTATION_VERSION, record.boostVersion());
        main.put(new Attributes.Name("Flink-Version"), record.flinkVersion());
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
