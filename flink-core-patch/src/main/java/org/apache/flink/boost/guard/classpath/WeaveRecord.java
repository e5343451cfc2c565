// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the weaver wrote down about its input: the versions, for each woven class the SHA-256 of the
 * class file it started from and of those that do the same, the releases that the jar was tested
 * on, and what its classes need of others.
 */
public final class WeaveRecord {

    public static final String RESOURCE = "META-INF/flink-boost/weave.properties";

    private static final String CLASS_PREFIX = "class.";
    private static final String FAMILY_PREFIX = "family.";
    private static final String JAR_PREFIX = "jar.";
    private static final String LINK_PREFIX = "link.";

    private final String flinkVersion;
    private final String boostVersion;
    private final SortedMap<String, List<String>> stockChecksums;
    private final SortedMap<String, String> families;
    private final Map<String, String> flinkJars;
    private final Set<String> tested;
    private final List<String> links;
    private final Map<String, List<String>> asideLinks;
    private final boolean forOwnBuild;
    private final List<String> known;

    private WeaveRecord(
            String flinkVersion,
            String boostVersion,
            SortedMap<String, List<String>> stockChecksums,
            SortedMap<String, String> families,
            Map<String, String> flinkJars,
            Set<String> tested,
            List<String> links,
            Map<String, List<String>> asideLinks,
            boolean forOwnBuild,
            List<String> known) {
        this.flinkVersion = flinkVersion;
        this.boostVersion = boostVersion;
        this.stockChecksums = Collections.unmodifiableSortedMap(stockChecksums);
        this.families = Collections.unmodifiableSortedMap(families);
        this.flinkJars = flinkJars;
        this.tested = Collections.unmodifiableSet(tested);
        this.links = Collections.unmodifiableList(links);
        this.asideLinks = asideLinks;
        this.forOwnBuild = forOwnBuild;
        this.known = known;
    }

    /**
     * Reads {@code flink.version}, {@code boost.version}, {@code class.<binary name>}, and where
     * they are there {@code family.<binary name>}, {@code jar.<binary name>}, {@code tested},
     * {@code link.<n>}, {@code link.<family>.<n>} and {@code own.line}. A class without a family is
     * of the first.
     *
     * @param known the families there are, in the order in which they are told
     * @throws IllegalArgumentException when a version is missing, no class is listed, or a family
     *     is none of those known
     */
    public static WeaveRecord parse(Properties properties, List<String> known) {
        SortedMap<String, List<String>> checksums = new TreeMap<>();
        List<String> links = new ArrayList<>();
        SortedMap<String, String> families = new TreeMap<>();
        Map<String, String> flinkJars = new HashMap<>();
        Map<String, List<String>> asideLinks = new HashMap<>();
        for (Map.Entry<Object, Object> entry : properties.entrySet()) {
            String key = (String) entry.getKey();
            String value = ((String) entry.getValue()).trim();
            if (key.startsWith(CLASS_PREFIX)) {
                checksums.put(
                        key.substring(CLASS_PREFIX.length()), Arrays.asList(value.split(" +")));
            } else if (key.startsWith(FAMILY_PREFIX)) {
                families.put(key.substring(FAMILY_PREFIX.length()), family(value, known));
            } else if (key.startsWith(JAR_PREFIX)) {
                flinkJars.put(key.substring(JAR_PREFIX.length()), value);
            } else if (key.startsWith(LINK_PREFIX)) {
                int dot = key.lastIndexOf('.');
                (dot < LINK_PREFIX.length()
                                ? links
                                : asideLinks.computeIfAbsent(
                                        family(key.substring(LINK_PREFIX.length(), dot), known),
                                        name -> new ArrayList<>()))
                        .add(value);
            }
        }
        Collections.sort(links);
        asideLinks.values().forEach(Collections::sort);
        if (checksums.isEmpty()) {
            throw new IllegalArgumentException("it lists no woven class");
        }
        return new WeaveRecord(
                required(properties, "flink.version"),
                required(properties, "boost.version"),
                checksums,
                families,
                flinkJars,
                tested(properties),
                links,
                asideLinks,
                properties.getProperty("own.line") != null,
                known);
    }

    private static String family(String name, List<String> known) {
        if (!known.contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is no family of classes");
        }
        return name;
    }

    private static Set<String> tested(Properties properties) {
        Set<String> versions = new TreeSet<>();
        for (String version : properties.getProperty("tested", "").split(" ")) {
            if (!version.isEmpty()) {
                versions.add(version);
            }
        }
        return versions;
    }

    private static String required(Properties properties, String key) {
        String value = properties.getProperty(key, "").trim();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("it has no " + key);
        }
        return value;
    }

    /** The Flink version that the classes were woven for. */
    public String flinkVersion() {
        return flinkVersion;
    }

    public String boostVersion() {
        return boostVersion;
    }

    /** The woven classes by binary name, in that order. */
    public Set<String> classes() {
        return stockChecksums.keySet();
    }

    /** The SHA-256 (lower-case hex) of the class file that a woven class was made from. */
    public String stockChecksum(String className) {
        return stockChecksums.get(className).get(0);
    }

    /** Whether that is the SHA-256 of a stock class file that the woven class stands for. */
    public boolean isStock(String className, String checksum) {
        return stockChecksums.get(className).stream().anyMatch(checksum::equalsIgnoreCase);
    }

    /** The families of the woven classes, in the order in which they are told. */
    public Set<String> families() {
        Set<String> all = new LinkedHashSet<>(known);
        all.removeIf(family -> classesOf(family).isEmpty());
        return all;
    }

    /** The family that the others build on. */
    public String baseFamily() {
        return known.get(0);
    }

    /** The woven classes of a family, by binary name. */
    public Set<String> classesOf(String family) {
        Set<String> names = new TreeSet<>(classes());
        names.removeIf(name -> !family.equals(families.getOrDefault(name, baseFamily())));
        return names;
    }

    /** The jar of Flink that a woven class is of, such as flink-core; else the class itself. */
    public String jarOf(String className) {
        return flinkJars.getOrDefault(className, className);
    }

    /** True for a release that the jar was tested on; also for the one that it was woven for. */
    public boolean wasTestedOn(String version) {
        return flinkVersion.equals(version) || tested.contains(version);
    }

    /** What the classes of the jar need of others, as {@link Link} reads it. */
    public List<String> links() {
        return links;
    }

    /** What those of a family whose classes lie aside need besides. */
    public List<String> linksOf(String family) {
        return asideLinks.getOrDefault(family, Collections.emptyList());
    }

    /** True when the jar was made for somebody's own build of Flink, and not for a release. */
    public boolean isForOwnBuild() {
        return forOwnBuild;
    }
}
