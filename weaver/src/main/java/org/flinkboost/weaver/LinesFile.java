// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.util.stream.Collectors.toUnmodifiableList;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads {@code lines.toml}. */
final class LinesFile {

    private LinesFile() {}

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
                .collect(toUnmodifiableList());
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
