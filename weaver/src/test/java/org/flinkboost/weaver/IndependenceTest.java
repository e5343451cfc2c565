// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The weaver knows class files; what it weaves, and for whom, comes in as arguments. */
class IndependenceTest {

    @Test
    void noClassOfTheWeaverNamesAClassOfFlink() throws IOException {
        Map<String, byte[]> classes = Acme.files(JavaSources.annotations());
        List<String> naming =
                classes.entrySet().stream()
                        .filter(entry -> namesFlink(entry.getValue()))
                        .map(Map.Entry::getKey)
                        .toList();
        assertThat(classes).containsKey("org/flinkboost/weaver/weave/Weaver.class");
        assertThat(naming).isEmpty();
    }

    private static boolean namesFlink(byte[] classFile) {
        String text = new String(classFile, StandardCharsets.ISO_8859_1);
        return text.contains("org/apache/flink") || text.contains("org.apache.flink");
    }
}
