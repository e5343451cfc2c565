// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.PatchedClass;

/**
 * Looks for the line whose patches fit a build of Flink, and writes the jar for it. Called by
 * {@code flink-boost weave} on an operator's machine, so that it needs ByteBuddy and no other
 * library; request and report are Java's properties as XML.
 *
 * <pre>
 * request:  dist                  the jar with Flink's classes
 *           classpath.N           what else is on the class path
 *           families              the class of the switches, one per family
 *           aside.N               a family without which a jar can be made
 *           boost.version
 *           stock                 folder of class files, named after their SHA-256
 *           class.LINE/CLASS      SHA-256 of each class file that a line patches
 *           jar.CLASS             the jar of Flink's that has it
 *           family.CLASS          the family of its patches
 *           candidate.N           a line, in the order in which they are tried
 *           patches.LINE          folder with its jar's content but for the woven classes
 *           out                   where to write the jar; without it only compare
 * report:   line                  the first line that fits with all its classes, or else with
 *                                 most of them; missing when none does
 *           version               the combination that the jar is for
 *           class.CLASS           SHA-256 of the class files that it replaces
 *           difference.LINE.N     what stands in the way; of the line that fits, in that of the
 *                                 families that the jar is without
 * </pre>
 */
public final class OwnBuildMain {

    private static final String FAMILY = "family.";

    private final Properties request = new Properties();
    private final Properties report = new Properties();

    private OwnBuildMain() {}

    /**
     * Reads the first file and writes the second; 0 when it could compare, whatever came out.
     *
     * @param arguments the request and the report
     */
    public static void main(String[] arguments) throws IOException {
        OwnBuildMain main = new OwnBuildMain();
        try (InputStream in = Files.newInputStream(Path.of(arguments[0]))) {
            main.request.loadFromXML(in);
        }
        main.run();
        try (OutputStream out = Files.newOutputStream(Path.of(arguments[1]))) {
            main.report.storeToXML(out, null);
        }
    }

    private void run() throws IOException {
        Map<String, Line> lines = lines();
        String best = null;
        OwnBuild.Woven most = null;
        for (String version : numbered("candidate.")) {
            OwnBuild.Answer answer =
                    new OwnBuild(
                                    Path.of(required("dist")),
                                    classPath(),
                                    new FamilySwitches(required("families")),
                                    new TreeSet<>(numbered("aside.")),
                                    lines.get(version),
                                    Path.of(required("patches." + version)),
                                    Path.of(required("stock")))
                            .answer(required("boost.version"));
            int number = 0;
            for (String difference : answer.differences()) {
                report.setProperty(
                        String.format(Locale.ROOT, "difference.%s.%04d", version, number++),
                        difference);
            }
            OwnBuild.Woven woven = answer.woven().orElse(null);
            if (woven != null
                    && (most == null || woven.checksums().size() > most.checksums().size())) {
                best = version;
                most = woven;
            }
            if (woven != null && number == 0) {
                break;
            }
        }
        if (most == null) {
            return;
        }
        report.setProperty("line", best);
        report.setProperty("version", most.version());
        most.checksums().forEach((name, sum) -> report.setProperty("class." + name, sum));
        if (request.getProperty("out") != null) {
            most.write(Path.of(required("out")));
        }
    }

    private Map<String, Line> lines() {
        Map<String, Map<String, PatchedClass>> classes = new TreeMap<>();
        String prefix = "class.";
        for (String key : request.stringPropertyNames()) {
            if (key.startsWith(prefix)) {
                int slash = key.indexOf('/');
                String name = key.substring(slash + 1);
                classes.computeIfAbsent(
                                key.substring(prefix.length(), slash), line -> new TreeMap<>())
                        .put(
                                name,
                                new PatchedClass(
                                        required("jar." + name),
                                        required(FAMILY + name),
                                        request.getProperty(key),
                                        List.of()));
            }
        }
        Map<String, String> families = new TreeMap<>();
        request.stringPropertyNames().stream()
                .filter(key -> key.startsWith(FAMILY))
                .forEach(
                        key ->
                                families.put(
                                        key.substring(FAMILY.length()), request.getProperty(key)));
        Map<String, Line> lines = new TreeMap<>();
        classes.forEach(
                (version, own) -> lines.put(version, new Line(version, Map.of(), own, families)));
        return lines;
    }

    private List<Path> classPath() {
        List<Path> entries = new ArrayList<>();
        numbered("classpath.").forEach(entry -> entries.add(Path.of(entry)));
        return entries;
    }

    /** The values of PREFIX0, PREFIX1 and so on. */
    private List<String> numbered(String prefix) {
        List<String> values = new ArrayList<>();
        String value = request.getProperty(prefix + 0);
        while (value != null) {
            values.add(value);
            value = request.getProperty(prefix + values.size());
        }
        return values;
    }

    private String required(String key) {
        String value = request.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("The request has no " + key + ".");
        }
        return value;
    }
}
