// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One supported Flink release, as {@code lines.toml} describes it. */
public final class Line {

    private final String version;
    private final Map<String, String> jars;
    private final Map<String, PatchedClass> classes;
    private final Map<String, String> families;

    public Line(
            String version,
            Map<String, String> jars,
            Map<String, PatchedClass> classes,
            Map<String, String> families) {
        this.version = version;
        this.jars = jars;
        this.classes = classes;
        this.families = families;
    }

    /** The release, for example 2.3.0. */
    public String version() {
        return version;
    }

    /** SHA-256 of each official jar by file name. */
    Map<String, String> jars() {
        return jars;
    }

    /** Each class that is patched in this line, by binary class name. */
    public Map<String, PatchedClass> classes() {
        return classes;
    }

    /** The family of each class that is patched in any line, by binary class name. */
    public Map<String, String> families() {
        return families;
    }

    /** Its classes of a family. */
    public Set<String> classesOf(String family) {
        return classes.entrySet().stream()
                .filter(entry -> entry.getValue().family().equals(family))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The line as it is for somebody who has not those families' classes. */
    public Line without(Set<String> others) {
        Map<String, PatchedClass> rest = new TreeMap<>(classes);
        rest.values().removeIf(patched -> others.contains(patched.family()));
        return new Line(version, jars, rest, families);
    }

    /** The families of its own classes. */
    public Set<String> ownFamilies() {
        return classes.values().stream().map(PatchedClass::family).collect(Collectors.toSet());
    }
}
