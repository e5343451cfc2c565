// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flinkboost.weaver.line.WeaveException;

/**
 * The list of woven classes with the SHA-256 of stock's class file: one file per module while
 * building; {@link WeaveRecord} is what becomes of them in the drop-in jar.
 */
public final class WovenClasses {

    /** In a module's folder of woven classes; below it one folder per Flink release. */
    static final String MODULES = "META-INF/flink-boost/woven";

    private WovenClasses() {}

    public static void write(
            Path folder, String flink, String module, Map<String, String> checksums)
            throws IOException {
        Path file = folder.resolve(MODULES).resolve(flink).resolve(module + ".properties");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text(new TreeMap<>(checksums)), StandardCharsets.ISO_8859_1);
    }

    /**
     * All classes of a module's folder, by binary name.
     *
     * @throws WeaveException when it holds none woven for that Flink release
     */
    public static Map<String, String> read(Path folder, String flink) throws IOException {
        Map<String, String> result = new TreeMap<>();
        Path modules = folder.resolve(MODULES).resolve(flink);
        if (!Files.isDirectory(modules)) {
            throw new WeaveException(
                    folder
                            + " holds no classes woven for Flink "
                            + flink
                            + ": expected "
                            + folder.relativize(modules)
                            + ", run `weave` first.");
        }
        try (Stream<Path> files = Files.list(modules)) {
            for (Path file : files.sorted().collect(toUnmodifiableList())) {
                Properties properties = new Properties();
                try (Reader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
                    properties.load(reader);
                }
                properties.forEach((name, sum) -> result.put((String) name, (String) sum));
            }
        }
        return result;
    }

    public static String text(Map<String, String> sorted) {
        return sorted.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }
}
