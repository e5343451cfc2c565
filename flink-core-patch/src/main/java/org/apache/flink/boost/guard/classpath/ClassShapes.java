// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.net.URL;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The shapes of the classes that a loader would load, each read once. Names are internal. */
final class ClassShapes {

    /** Java's own classes are not looked at: they have no Flink above them. */
    private static final String JAVA = "java/";

    private final ClassLoader loader;
    private final OpenJars jars;
    private final Map<String, ClassShape> known = new HashMap<>();

    ClassShapes(ClassLoader loader, OpenJars jars) {
        this.loader = loader;
        this.jars = jars;
    }

    /** The shape of a class, or null when the class path does not have it. */
    ClassShape find(String name) throws IOException {
        ClassShape shape = known.get(name);
        if (shape == null) {
            URL file = loader.getResource(name + ".class");
            if (file == null) {
                return null;
            }
            try {
                shape = ClassShape.read(jars.read(file));
            } catch (IOException e) {
                throw new IOException(file + " is damaged: " + e.getMessage(), e);
            }
            known.put(name, shape);
        }
        return shape;
    }

    /** The class and all its superclasses and interfaces, as far as they are there. */
    Set<String> supertypes(String name) throws IOException {
        Set<String> all = new LinkedHashSet<>();
        collect(name, all);
        return all;
    }

    private void collect(String name, Set<String> all) throws IOException {
        if (!all.add(name) || name.startsWith(JAVA)) {
            return;
        }
        ClassShape shape = find(name);
        if (shape != null) {
            for (String supertype : shape.supertypes()) {
                collect(supertype, all);
            }
        }
    }

    /** Access flags of a member of the class or its supertypes, or null when none has it. */
    Integer member(String owner, boolean field, String member) throws IOException {
        for (String type : supertypes(owner)) {
            ClassShape shape = type.startsWith(JAVA) ? null : find(type);
            if (shape != null) {
                Integer access = (field ? shape.fields() : shape.methods()).get(member);
                if (access != null) {
                    return access;
                }
            }
            if (member.startsWith("<init>")) {
                return null;
            }
        }
        return null;
    }

    /** The abstract methods that the class and its supertypes leave without a body. */
    Set<String> openMethods(String name) throws IOException {
        Set<String> without = new HashSet<>();
        Set<String> with = new HashSet<>();
        for (String type : supertypes(name)) {
            ClassShape shape = type.startsWith(JAVA) ? null : find(type);
            if (shape != null) {
                for (Map.Entry<String, Integer> method : shape.methods().entrySet()) {
                    (ClassShape.isAbstract(method.getValue()) ? without : with)
                            .add(method.getKey());
                }
            }
        }
        without.removeAll(with);
        return without;
    }
}
