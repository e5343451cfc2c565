// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads {@code lines.toml}, and {@value #LOCK} beside it. */
public final class LinesFile {

    public static final String LOCK = "classes.lock";

    private LinesFile() {}

    /**
     * Reads one line.
     *
     * @throws WeaveException when a file is not TOML, does not name the version, or lacks what it
     *     should say of a patched class
     * @throws IOException when a file cannot be read
     */
    public static Line read(Path linesFile, String version) throws IOException {
        JsonNode document = document(linesFile);
        JsonNode lines = document.path("lines");
        JsonNode line = lines.path(version);
        if (line.isMissingNode()) {
            throw new WeaveException(
                    "There is no Flink line "
                            + version
                            + " in "
                            + linesFile.getFileName()
                            + ", found: "
                            + String.join(", ", strings(lines).keySet())
                            + ".");
        }
        Map<String, String> jars = new TreeMap<>();
        // Where Maven Central has none, it is one of the distribution, with its folder there.
        strings(line.path("jars"))
                .forEach((file, sum) -> jars.put(file.substring(file.lastIndexOf('/') + 1), sum));
        JsonNode lock = document(linesFile.resolveSibling(LOCK));
        Map<String, PatchedClass> classes = new TreeMap<>();
        Map<String, String> families = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : document.path("patched").properties()) {
            JsonNode patched = entry.getValue();
            families.put(entry.getKey(), patched.path("family").asText());
            if (isBetween(
                    version, patched.path("since").asText(), patched.path("until").asText())) {
                classes.put(
                        entry.getKey(),
                        patched(entry.getKey(), patched, version, jars, lock.path(entry.getKey())));
            }
        }
        return new Line(version, jars, classes, families);
    }

    private static PatchedClass patched(
            String name,
            JsonNode described,
            String version,
            Map<String, String> jars,
            JsonNode locked) {
        String jar = described.path("jar").asText();
        String family = described.path("family").asText();
        if (jars.keySet().stream().noneMatch(file -> FlinkJar.isOf(file, jar, version))
                || family.isEmpty()) {
            throw new WeaveException(
                    name
                            + " is to be in the jar '"
                            + jar
                            + "' and in the family '"
                            + family
                            + "': expected a name of a family, and one of the jars of line "
                            + version
                            + ", "
                            + jars.keySet()
                            + ".");
        }
        for (JsonNode group : locked) {
            for (Map.Entry<String, JsonNode> file : group.properties()) {
                if (names(file.getValue(), version)) {
                    List<String> equal = new ArrayList<>();
                    group.fieldNames().forEachRemaining(equal::add);
                    equal.remove(file.getKey());
                    return new PatchedClass(jar, family, file.getKey(), equal);
                }
            }
        }
        throw new WeaveException(
                LOCK
                        + " has no class file of "
                        + name
                        + " in Flink "
                        + version
                        + ": run `flink-boost releases --look "
                        + version
                        + "`, or say in lines.toml since or until when Flink has it.");
    }

    private static boolean names(JsonNode releases, String version) {
        for (JsonNode release : releases) {
            if (release.asText().equals(version)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Both are releases or the first numbers of one, and belong to it; an empty one is no bound.
     */
    private static boolean isBetween(String version, String since, String until) {
        return compared(version, since) >= 0 && compared(version, until) <= 0;
    }

    private static int compared(String version, String bound) {
        int[] numbers = numbers(version);
        int[] wanted = numbers(bound);
        return Arrays.compare(Arrays.copyOf(numbers, wanted.length), wanted);
    }

    private static int[] numbers(String version) {
        return Arrays.stream(version.split("\\."))
                .filter(number -> !number.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    /** The file's content. Throws {@link WeaveException} when it is not TOML. */
    static JsonNode document(Path file) throws IOException {
        try {
            return new TomlMapper().readTree(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw new WeaveException(
                    file.getFileName()
                            + " is not TOML, see line "
                            + e.getLocation().getLineNr()
                            + ": "
                            + e.getOriginalMessage()
                            + ".",
                    e);
        }
    }

    private static Map<String, String> strings(JsonNode table) {
        Map<String, String> result = new TreeMap<>();
        table.properties().forEach(f -> result.put(f.getKey(), f.getValue().asText()));
        return result;
    }
}
