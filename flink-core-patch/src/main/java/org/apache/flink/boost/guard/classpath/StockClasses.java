// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The copies of the woven classes that others bring, compared with what was woven. */
public final class StockClasses {

    private final WeaveRecord record;
    private final ClassPathEntry ourJar;
    private final ClassLoader loader;
    private final OpenJars jars;
    private final Map<String, List<ClassPathEntry>> copies = new LinkedHashMap<>();
    private final Map<String, ClassPathEntry> inFront = new LinkedHashMap<>();
    private final List<Difference> differing = new ArrayList<>();

    private StockClasses(
            WeaveRecord record, ClassPathEntry ourJar, ClassLoader loader, OpenJars jars) {
        this.record = record;
        this.ourJar = ourJar;
        this.loader = loader;
        this.jars = jars;
    }

    /**
     * Looks on the class path for each woven class that does not lie aside, and compares every copy
     * that is not ours: behind ours, stock's body in it would run in place of another's.
     */
    public static StockClasses find(
            WeaveRecord record, ClassPathEntry ourJar, ClassLoader loader, OpenJars jars)
            throws IOException {
        StockClasses stock = new StockClasses(record, ourJar, loader, jars);
        Set<String> base = record.classesOf(record.baseFamily());
        for (String woven : record.classes()) {
            if (base.contains(woven) || AsideClasses.find(woven, ourJar) == null) {
                stock.add(woven);
            }
        }
        return stock;
    }

    private void add(String className) throws IOException {
        List<ClassPathEntry> found = holders(className);
        if (!found.isEmpty() && !found.get(0).isSameAs(ourJar)) {
            inFront.put(className, found.get(0));
        }
        found.removeIf(copy -> copy.isSameAs(ourJar));
        copies.put(className, found);
        for (ClassPathEntry copy : found) {
            String checksum = copy.sha256();
            if (!record.isStock(className, checksum)) {
                differing.add(
                        new Difference(className, copy, checksum, record.stockChecksum(className)));
                return;
            }
        }
    }

    private List<ClassPathEntry> holders(String className) throws IOException {
        return ClassPathEntry.holding(className.replace('.', '/') + ".class", loader, jars);
    }

    /** True when nobody but our jar has any of the classes. */
    public boolean isEmpty() {
        return copies.values().stream().allMatch(List::isEmpty);
    }

    /** True when others have some of the classes and not all, as without flink-runtime. */
    public boolean isOnlyInPart() {
        return !isEmpty() && copies.values().stream().anyMatch(List::isEmpty);
    }

    /** The entries that stand before our jar, by the class that would be loaded from them. */
    public Map<String, ClassPathEntry> inFront() {
        return inFront;
    }

    /** The classes of which a copy is not what was woven, by name. */
    public List<Difference> differing() {
        return Collections.unmodifiableList(differing);
    }

    public List<String> namesOfDiffering() {
        List<String> names = new ArrayList<>();
        for (Difference difference : differing) {
            names.add(difference.className());
        }
        return names;
    }

    /**
     * The version of the Flink that has the classes, or null when no jar names one.
     *
     * <p>A copy in somebody's fat jar carries that jar's own number: one that we know goes first,
     * then the last on the class path, where Flink's scripts put Flink's own jar.
     */
    public String version() throws IOException {
        Set<String> versions = new LinkedHashSet<>();
        for (List<ClassPathEntry> found : copies.values()) {
            for (ClassPathEntry copy : found) {
                String version = copy.implementationVersion();
                if (version != null) {
                    versions.add(version);
                }
            }
        }
        String last = null;
        for (String version : versions) {
            if (record.flinkVersion().equals(version)) {
                return version;
            }
            boolean lastIsKnown = last != null && record.wasTestedOn(last);
            last = lastIsKnown && !record.wasTestedOn(version) ? last : version;
        }
        return last;
    }

    /** A copy that is not what was woven. */
    public static final class Difference {

        private final String className;
        private final ClassPathEntry copy;
        private final String found;
        private final String expected;

        private Difference(String className, ClassPathEntry copy, String found, String expected) {
            this.className = className;
            this.copy = copy;
            this.found = found;
            this.expected = expected;
        }

        /** Binary name. */
        public String className() {
            return className;
        }

        public ClassPathEntry copy() {
            return copy;
        }

        /** SHA-256 in lower-case hex. */
        public String found() {
            return found;
        }

        public String expected() {
            return expected;
        }
    }
}
