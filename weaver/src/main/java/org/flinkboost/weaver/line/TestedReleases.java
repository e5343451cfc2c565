// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The releases that {@code releases.toml} gives the classes of a line and a test that passed. */
public final class TestedReleases {

    private TestedReleases() {}

    /**
     * Their versions, in the order of the file.
     *
     * @throws WeaveException when the file is not TOML
     */
    public static List<String> read(Path file, String line) throws IOException {
        List<String> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> release :
                LinesFile.document(file).path("releases").properties()) {
            JsonNode row = release.getValue();
            if (row.path("classes").asText().equals(line) && !row.path("tested").isEmpty()) {
                found.add(release.getKey());
            }
        }
        return found;
    }
}
