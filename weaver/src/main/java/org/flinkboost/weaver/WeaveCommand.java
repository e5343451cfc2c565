// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.flinkboost.weaver.jar.WeaveRecord;
import org.flinkboost.weaver.jar.WovenClasses;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.LinesFile;
import org.flinkboost.weaver.line.PatchedClass;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.Weaver;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code weave}: writes a folder with our classes, the woven classes and their checksums, for
 * {@code assemble} and for the guard, which looks for a record of what it stands in front of in
 * tests, too.
 */
@Command(
        name = "weave",
        description = "Apply the patches in a folder of compiled classes to official Flink jars.",
        mixinStandardHelpOptions = true)
final class WeaveCommand implements Callable<Integer> {

    @Option(names = "--lines", required = true, description = "The file lines.toml.")
    private Path lines;

    @Option(names = "--line", required = true, description = "Flink release, for example 2.3.0.")
    private String version;

    @Option(
            names = "--jar",
            required = true,
            split = ":",
            description = "Official Flink jars that hold patched classes; may be repeated.")
    private List<Path> jars;

    @Option(names = "--patches", required = true, description = "Folder of compiled patches.")
    private Path patches;

    @Option(
            names = "--class-path",
            split = ":",
            description = "Folders and jars that patches and Flink's classes refer to.")
    private List<Path> classPath = new ArrayList<>();

    @Option(
            names = "--families",
            required = true,
            description = "Class of the switches that select ours or stock's, one per family.")
    private String families;

    @Option(names = "--module", required = true, description = "Name of the checksum list.")
    private String module;

    @Option(names = "--boost-version", required = true, description = "Version of flink-boost.")
    private String boostVersion;

    @Option(names = "--out", required = true, description = "Folder to write; replaced.")
    private Path out;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        requireApart(patches, out);
        Line line = LinesFile.read(lines, version);
        Weaver.Result result =
                new Weaver(line, new FamilySwitches(families)).weave(patches, jars, classPath);
        write(result, line);
        spec.commandLine()
                .getOut()
                .printf(
                        "Wove %s for Flink %s%n",
                        String.join(", ", result.woven().keySet()), version);
        return 0;
    }

    /** Replacing the output must not take the input away. */
    private static void requireApart(Path patches, Path out) {
        Path input = patches.toAbsolutePath().normalize();
        Path output = out.toAbsolutePath().normalize();
        if (input.startsWith(output) || output.startsWith(input)) {
            throw new WeaveException(
                    "--out "
                            + out
                            + " would be replaced together with --patches "
                            + patches
                            + ": expected two separate folders.");
        }
    }

    /** Writes aside first: a failure leaves the former output as it was. */
    private void write(Weaver.Result result, Line line) throws IOException {
        Path aside = out.toAbsolutePath().normalize();
        aside = aside.resolveSibling(aside.getFileName() + ".part");
        delete(aside);
        try {
            copy(patches, aside);
            for (String name : result.unused()) {
                Files.delete(classFile(aside, name));
            }
            Map<String, PatchedClass> classes = new TreeMap<>();
            Map<String, String> checksums = new TreeMap<>();
            for (Map.Entry<String, byte[]> entry : result.woven().entrySet()) {
                Path file = classFile(aside, entry.getKey());
                Files.createDirectories(file.getParent());
                Files.write(file, entry.getValue());
                PatchedClass patched = line.classes().get(entry.getKey());
                classes.put(entry.getKey(), patched);
                checksums.put(entry.getKey(), patched.checksum());
            }
            WovenClasses.write(aside, version, module, checksums);
            WeaveRecord record = new WeaveRecord(version, boostVersion).classes(classes);
            Files.writeString(
                    aside.resolve(WeaveRecord.RESOURCE),
                    record.text(),
                    StandardCharsets.ISO_8859_1);
            delete(out);
            Files.move(aside, out);
        } finally {
            delete(aside);
        }
    }

    private static Path classFile(Path folder, String name) {
        return folder.resolve(name.replace('.', '/') + ".class");
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.collect(toUnmodifiableList())) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.sorted(Comparator.reverseOrder()).collect(toUnmodifiableList())) {
                Files.delete(file);
            }
        }
    }
}
