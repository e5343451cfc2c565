// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.flinkboost.weaver.jar.DropInJar;
import org.flinkboost.weaver.jar.FamilyLinks;
import org.flinkboost.weaver.jar.WeaveRecord;
import org.flinkboost.weaver.jar.WovenClasses;
import org.flinkboost.weaver.line.ClassPath;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.LinesFile;
import org.flinkboost.weaver.line.TestedReleases;
import org.flinkboost.weaver.line.WeaveException;
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

    @Option(
            names = "--families",
            required = true,
            description = "Class of the switches that select ours or stock's, one per family.")
    private String families;

    @Option(
            names = "--aside",
            description =
                    "Family whose classes the guard defines, where they fit; may be repeated.")
    private Set<String> aside = Set.of();

    @Option(names = "--licence", description = "File to put into META-INF; may be repeated.")
    private List<Path> licences = List.of();

    @Option(names = "--out", required = true, description = "The jar to write.")
    private Path out;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        DropInJar jar = new DropInJar();
        Line line = LinesFile.read(lines, flinkVersion);
        Map<String, String> woven = new TreeMap<>();
        for (Path folder : folders) {
            woven.putAll(WovenClasses.read(folder, flinkVersion));
            jar.addAll(folder);
        }
        for (Path licence : licences) {
            jar.add("META-INF/" + licence.getFileName(), licence);
        }
        requireWoven(line, woven);
        WeaveRecord record =
                new WeaveRecord(flinkVersion, boostVersion)
                        .classes(line.classes())
                        .tested(TestedReleases.read(releases, flinkVersion));
        try (ClassFileLocator locator = ClassPath.locator(classPath)) {
            FamilyLinks links =
                    new FamilyLinks(jar, line, new FamilySwitches(families), aside, locator);
            record.links(links.shared());
            for (String family : links.apart()) {
                record.linksOf(family, links.of(family));
                jar.setAside(line.classesOf(family));
            }
        }
        int entries = jar.write(out, record);
        spec.commandLine().getOut().printf("Wrote %s (%d entries)%n", out.getFileName(), entries);
        return 0;
    }

    /** A class that no patch was found for, and one that was woven from an older list. */
    private void requireWoven(Line line, Map<String, String> woven) {
        Map<String, String> expected = new TreeMap<>();
        line.classes().forEach((name, patched) -> expected.put(name, patched.checksum()));
        if (!woven.equals(expected)) {
            Map<String, String> other = new TreeMap<>(expected);
            other.entrySet().removeAll(woven.entrySet());
            Map<String, String> unknown = new TreeMap<>(woven);
            unknown.entrySet().removeAll(expected.entrySet());
            throw new WeaveException(
                    "The folders have not what "
                            + lines.getFileName()
                            + " and "
                            + LinesFile.LOCK
                            + " say of line "
                            + flinkVersion
                            + ": expected "
                            + other
                            + ", found "
                            + unknown
                            + "; run `weave` again.");
        }
    }
}
