// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks the classes that ours link to and do not replace. Equal classes beside other neighbours
 * would start, and fail where a job first comes to the missing method.
 */
public final class Neighbours {

    private final ClassShapes shapes;
    private final boolean mayBeAbsent;

    /**
     * Looks at the classes of a loader.
     *
     * @param mayBeAbsent true when only a part of Flink is there, so that what is not cannot be
     *     asked for
     */
    public Neighbours(ClassLoader loader, OpenJars jars, boolean mayBeAbsent) {
        this.shapes = new ClassShapes(loader, jars);
        this.mayBeAbsent = mayBeAbsent;
    }

    /** What does not fit, on the first class that does not; null when all do. */
    public Mismatch check(List<String> links) throws IOException {
        Map<String, Set<String>> known = new HashMap<>();
        Set<String> extended = new TreeSet<>();
        for (String text : links) {
            Link link = Link.parse(text);
            ClassShape shape = shapes.find(link.owner());
            if (shape == null) {
                if (mayBeAbsent) {
                    continue;
                }
                return new Mismatch(link.owner(), "is missing");
            }
            String mismatch = link.mismatch(shape, shapes);
            if (mismatch != null) {
                return new Mismatch(link.owner(), mismatch);
            }
            if (link.isExtended()) {
                extended.add(link.owner());
            } else if (link.isOpenMethod()) {
                known.computeIfAbsent(link.owner(), owner -> new HashSet<>())
                        .add(link.openMethod());
            }
        }
        for (String owner : extended) {
            Set<String> more = new TreeSet<>(shapes.openMethods(owner));
            more.removeAll(known.getOrDefault(owner, new HashSet<>()));
            if (!more.isEmpty()) {
                return new Mismatch(owner, "has a new abstract method " + more.iterator().next());
            }
        }
        return null;
    }

    /** A class that is not as ours need it. */
    public static final class Mismatch {

        private final String owner;
        private final String problem;

        private Mismatch(String owner, String problem) {
            this.owner = owner;
            this.problem = problem;
        }

        /** Internal name of the class. */
        public String owner() {
            return owner;
        }

        @Override
        public String toString() {
            return owner.replace('/', '.') + " " + problem;
        }
    }
}
