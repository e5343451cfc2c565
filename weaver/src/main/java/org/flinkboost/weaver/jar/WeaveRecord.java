// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.flinkboost.weaver.line.PatchedClass;

/**
 * The file {@value #RESOURCE} of a drop-in jar, by which its guard recognises the product that it
 * stands in front of. Every setter returns the same object.
 */
public final class WeaveRecord {

    public static final String RESOURCE = "META-INF/flink-boost/weave.properties";

    private static final String LINK = "link.";

    private final String flinkVersion;
    private final String boostVersion;
    private final Map<String, String> all = new TreeMap<>();

    public WeaveRecord(String flinkVersion, String boostVersion) {
        this.flinkVersion = flinkVersion;
        this.boostVersion = boostVersion;
        all.put("flink.version", flinkVersion);
        all.put("boost.version", boostVersion);
    }

    public String flinkVersion() {
        return flinkVersion;
    }

    String boostVersion() {
        return boostVersion;
    }

    /**
     * The woven classes by binary name: the SHA-256 of the class file that each was made from,
     * behind it those of class files that do the same; the families of their patches, and the jars
     * of the product that have them.
     */
    public WeaveRecord classes(Map<String, PatchedClass> classes) {
        classes.forEach(
                (name, patched) -> {
                    List<String> checksums = new ArrayList<>(List.of(patched.checksum()));
                    checksums.addAll(patched.equal());
                    all.put("class." + name, String.join(" ", checksums));
                    all.put("family." + name, patched.family());
                    all.put("jar." + name, patched.jar());
                });
        return this;
    }

    /** The releases with these classes on which the jar was tested. */
    public WeaveRecord tested(Collection<String> releases) {
        all.put("tested", String.join(" ", releases));
        return this;
    }

    /** What the classes need of others, as {@link Links} writes it. */
    public WeaveRecord links(Collection<String> links) {
        return links(LINK, links);
    }

    /** The same of a family whose classes lie aside; the others do without. */
    public WeaveRecord linksOf(String family, Collection<String> links) {
        return links(LINK + family + ".", links);
    }

    private WeaveRecord links(String prefix, Collection<String> links) {
        int number = 0;
        for (String link : links) {
            // Some languages have digits of their own, which are no letters of such a file.
            all.put(String.format(Locale.ROOT, "%s%04d", prefix, number++), link);
        }
        return this;
    }

    /** The line whose patches these are, in a jar for somebody's own build of Flink. */
    public WeaveRecord wovenLike(String line) {
        all.put("own.line", line);
        return this;
    }

    /** Properties, sorted by name. */
    public String text() {
        return WovenClasses.text(all);
    }
}
