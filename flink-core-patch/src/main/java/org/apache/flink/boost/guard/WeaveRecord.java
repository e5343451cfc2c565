// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the weaver wrote down about its input: the versions, and for each woven class the SHA-256 of
 * the class file it started from.
 */
final class WeaveRecord {

    static final String RESOURCE = "META-INF/flink-boost/weave.properties";

    private static final String CLASS_PREFIX = "class.";

    private final String flinkVersion;
    private final String boostVersion;
    private final SortedMap<String, String> stockChecksums;

    private WeaveRecord(
            String flinkVersion, String boostVersion, SortedMap<String, String> stockChecksums) {
        this.flinkVersion = flinkVersion;
        this.boostVersion = boostVersion;
        this.stockChecksums = Collections.unmodifiableSortedMap(stockChecksums);
    }

    /**
     * Reads {@code flink.version}, {@code boost.version} and {@code class.<binary name>}.
     *
     * @throws IllegalArgumentException when a version is missing or no class is listed
     */
    static WeaveRecord parse(Properties properties) {
        SortedMap<String, String> checksums = new TreeMap<>();
        for (Map.Entry<Object, Object> entry : properties.entrySet()) {
            String key = (String) entry.getKey();
            if (key.startsWith(CLASS_PREFIX)) {
                String checksum = ((String) entry.getValue()).trim();
                checksums.put(key.substring(CLASS_PREFIX.length()), checksum);
            }
        }
        if (checksums.isEmpty()) {
            throw new IllegalArgumentException("it lists no woven class");
        }
        return new WeaveRecord(
                required(properties, "flink.version"),
                required(properties, "boost.version"),
                checksums);
    }

    private static String required(Properties properties, String key) {
        String value = properties.getProperty(key, "").trim();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("it has no " + key);
        }
        return value;
    }

    /** The Flink version that the classes were woven for. */
    String flinkVersion() {
        return flinkVersion;
    }

    String boostVersion() {
        return boostVersion;
    }

    /**
     * Binary class name to the SHA-256 (lower-case hex) of the stock class file, sorted by name.
     */
    SortedMap<String, String> stockChecksums() {
        return stockChecksums;
    }
}
