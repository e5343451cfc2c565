// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One supported Flink release, as {@code lines.toml} describes it.
 *
 * @param version the release, for example 2.3.0
 * @param enabled false when it is known and not built
 * @param jars SHA-256 of each official jar by file name
 * @param classes SHA-256 of each class file that may be changed, by binary class name
 */
record Line(
        String version, boolean enabled, Map<String, String> jars, Map<String, String> classes) {

    /**
     * Reads one line.
     *
     * @throws WeaveException when the file is not TOML or does not name the version
     * @throws IOException when the file cannot be read
     */
    static Line read(Path linesFile, String version) throws IOException {
        JsonNode lines = document(linesFile).path("lines");
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
        return of(version, line);
    }

    /**
     * All lines, in the order of the file.
     *
     * @throws WeaveException when the file is not TOML
     * @throws IOException when the file cannot be read
     */
    static List<Line> readAll(Path linesFile) throws IOException {
        return document(linesFile).path("lines").properties().stream()
                .map(entry -> of(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Line of(String version, JsonNode line) {
        return new Line(
                version,
                line.path("enabled").asBoolean(),
                strings(line.path("jars")),
                strings(line.path("classes")));
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
