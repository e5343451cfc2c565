// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.flinkboost.weaver.Acme;
import org.flinkboost.weaver.JavaSources;
import org.flinkboost.weaver.jar.WeaveRecord;
import org.flinkboost.weaver.line.Checksum;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.PatchedClass;

/** A release of {@link Acme} with its patches, and somebody's own builds of it beside it. */
final class AcmeBuild {

    final Path folder;
    final Acme acme;
    final Line line;

    /** The release is compiled for that Java; {@code acme.Gauge} is the class that is patched. */
    AcmeBuild(Path folder, int release, String source, String... patches) throws IOException {
        this(folder, release, Map.of("acme.Gauge", "dials"), List.of(source), patches);
    }

    /** The same with the patched classes and the family of each. */
    AcmeBuild(
            Path folder,
            int release,
            Map<String, String> families,
            List<String> sources,
            String... patches)
            throws IOException {
        this.folder = folder;
        acme =
                new Acme(folder.resolve("release"), release)
                        .stock(sources.toArray(String[]::new))
                        .patch(patches);
        Path stock = Files.createDirectories(folder.resolve("classes"));
        Map<String, PatchedClass> patched = new TreeMap<>();
        for (Map.Entry<String, String> each : families.entrySet()) {
            String file = "stock/" + each.getKey().replace('.', '/') + ".class";
            byte[] content = Files.readAllBytes(acme.root.resolve(file));
            String sum = Checksum.of(content);
            Files.write(stock.resolve(sum), content);
            patched.put(each.getKey(), new PatchedClass("acme", each.getValue(), sum, List.of()));
        }
        line = new Line(Acme.VERSION, Map.of(), patched, families);
        Path record = acme.patches().resolve(WeaveRecord.RESOURCE);
        Files.createDirectories(record.getParent());
        Files.writeString(record, "");
    }

    /** A jar of class files by their paths in it. */
    Path jar(String name, Map<String, byte[]> classes) throws IOException {
        Path file = folder.resolve(name);
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> each : new TreeMap<>(classes).entrySet()) {
                jar.putNextEntry(new ZipEntry(each.getKey()));
                jar.write(each.getValue());
            }
        }
        return file;
    }

    /** What is said of an own build from that source. */
    OwnBuild.Answer answer(String source, int release, String... options) throws IOException {
        return answer(List.of(source), release, options);
    }

    OwnBuild.Answer answer(List<String> sources, int release, String... options)
            throws IOException {
        Path built = folder.resolve("own");
        JavaSources.compileWith(
                List.of(options), built, release, List.of(), sources.toArray(String[]::new));
        return answer(Acme.files(built));
    }

    /** The same of class files by path in the jar, and of further jars behind it. */
    OwnBuild.Answer answer(Map<String, byte[]> classes, Path... further) throws IOException {
        Path dist = jar("acme-own.jar", classes);
        List<Path> classPath = new ArrayList<>(List.of(acme.root.resolve("families")));
        classPath.addAll(List.of(further));
        return new OwnBuild(
                        dist,
                        classPath,
                        new FamilySwitches(Acme.FAMILIES),
                        Set.of("wheels", "valves"),
                        line,
                        acme.patches(),
                        folder.resolve("classes"))
                .answer("0.0.1");
    }
}
