// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file {@value #RESOURCE} of a drop-in jar, by which its guard recognises the product that it
 * stands in front of. Every setter returns the same object.
 */
final class WeaveRecord {

    static final String RESOURCE = "META-INF/flink-boost/weave.properties";

    private final String flinkVersion;
    private final String boostVersion;
    private final Map<String, String> all = new TreeMap<>();

    WeaveRecord(String flinkVersion, String boostVersion) {
        this.flinkVersion = flinkVersion;
        this.boostVersion = boostVersion;
        all.put("flink.version", flinkVersion);
        all.put("boost.version", boostVersion);
    }

    String flinkVersion() {
        return flinkVersion;
    }

    String boostVersion() {
        return boostVersion;
    }

    /** The woven classes, with the SHA-256 of stock's class files. */
    WeaveRecord classes(Map<String, String> checksums) {
        checksums.forEach((name, sum) -> all.put("class." + name, sum));
        return this;
    }

    /** The classes of the lines that have a jar of their own, for whoever needs another jar. */
    WeaveRecord otherLines(Collection<Line> lines) {
        for (Line line : lines) {
            if (line.enabled() && !line.version().equals(flinkVersion)) {
                line.classes()
                        .forEach(
                                (name, sum) -> all.put("line." + line.version() + "/" + name, sum));
            }
        }
        return this;
    }

    /** The releases with these classes on which the jar was tested. */
    WeaveRecord tested(Collection<String> releases) {
        all.put("tested", String.join(" ", releases));
        return this;
    }

    /** What the classes need of others, as {@link Links} writes it. */
    WeaveRecord links(Collection<String> links) {
        int number = 0;
        for (String link : links) {
            all.put(String.format("link.%04d", number++), link);
        }
        return this;
    }

    /** The line whose patches these are, in a jar for somebody's own build of Flink. */
    WeaveRecord wovenLike(String line) {
        all.put("own.line", line);
        return this;
    }

    /** Properties, sorted by name. */
    String text() {
        return WovenClasses.text(all);
    }
}
