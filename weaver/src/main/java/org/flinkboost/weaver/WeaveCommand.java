// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
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
import org.flinkboost.weaver.FrontedMethod.SwitchField;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weave}: writes a folder with our classes, the woven classes and their checksums. */
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
            description = "Official Flink jar that holds patched classes; may be repeated.")
    private List<Path> jars;

    @Option(names = "--patches", required = true, description = "Folder of compiled patches.")
    private Path patches;

    @Option(
            names = "--class-path",
            split = ":",
            description = "Folders and jars that patches and Flink's classes refer to.")
    private List<Path> classPath = new ArrayList<>();

    @Option(
            names = "--switch",
            required = true,
            description = "Static final boolean that selects ours or stock's, as Class.FIELD.")
    private String switchField;

    @Option(names = "--module", required = true, description = "Name of the checksum list.")
    private String module;

    @Option(names = "--out", required = true, description = "Folder to write; replaced.")
    private Path out;

    @Override
    public Integer call() throws IOException {
        Line line = Line.read(lines, version);
        int dot = switchField.lastIndexOf('.');
        SwitchField enabled =
                new SwitchField(switchField.substring(0, dot), switchField.substring(dot + 1));
        Map<String, byte[]> woven = new Weaver(line, enabled).weave(patches, jars, classPath);
        delete(out);
        copy(patches, out);
        Map<String, String> checksums = new TreeMap<>();
        for (Map.Entry<String, byte[]> entry : woven.entrySet()) {
            Path file = out.resolve(entry.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, entry.getValue());
            checksums.put(entry.getKey(), line.classes().get(entry.getKey()));
        }
        WovenClasses.write(out, module, checksums);
        System.out.printf("Wove %s for Flink %s%n", String.join(", ", woven.keySet()), version);
        return 0;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
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
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
