// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.boost.guard.BoostMode;
import org.junit.jupiter.api.Test;

/**
 * What a process loads before the guard refuses its Java is for Java 8, all else for the oldest
 * that is supported.
 */
class ClassFileVersionTest {

    private static final int JAVA_8 = 52;
    private static final int JAVA_11 = 55;
    private static final String OURS = "org/apache/flink/boost";

    @Test
    void onlyWhatLoadsBeforeTheRefusalIsForJava8() throws Exception {
        Path folder =
                Path.of(BoostMode.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                        .resolve(OURS);
        Map<String, Integer> versions = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                versions.put(folder.relativize(file).toString(), version(file));
            }
        }
        assertThat(versions)
                .containsKeys(
                        "guard/VersionGuard.class",
                        "woven/StringValuePatch.class",
                        "strings/StringWriter.class");
        for (Map.Entry<String, Integer> each : versions.entrySet()) {
            boolean first = List.of("guard", "woven").contains(each.getKey().split("/")[0]);
            assertThat(each.getValue()).as(each.getKey()).isEqualTo(first ? JAVA_8 : JAVA_11);
        }
    }

    /** The major version of a class file. */
    private static int version(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            in.skipBytes(6);
            return in.readUnsignedShort();
        }
    }
}
