// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.net.URL;
import java.security.CodeSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the JVM has under the names of our classes. That need not be what stands first on the class
 * path: a class of an archive ({@code -XX:AOTCache}) is taken without a look there, and a Java
 * agent may hand in another. Classes are loaded for that, and none is initialised.
 */
public final class LoadedClasses {

    private final ClassPathEntry ourJar;
    private final ClassLoader loader;
    private final Map<String, String> others = new TreeMap<>();
    private int ours;

    private LoadedClasses(ClassPathEntry ourJar, ClassLoader loader) {
        this.ourJar = ourJar;
        this.loader = loader;
    }

    /**
     * Looks at each of these woven classes that can be loaded; without flink-runtime some cannot.
     */
    public static LoadedClasses of(Set<String> names, ClassPathEntry ourJar, ClassLoader loader)
            throws IOException {
        LoadedClasses loaded = new LoadedClasses(ourJar, loader);
        for (String name : names) {
            loaded.add(name);
        }
        return loaded;
    }

    /** Where a class was loaded from, when that is not the jar; else null. */
    public static String otherSource(String name, ClassPathEntry ourJar, ClassLoader loader) {
        Class<?> type = load(name, loader);
        return type == null ? null : otherSource(type, ourJar);
    }

    /** Where those were loaded from that are not ours, by their names. */
    public Map<String, String> others() {
        return Collections.unmodifiableMap(others);
    }

    /** True when none of them is ours. */
    public boolean areAllOthers() {
        return ours == 0;
    }

    private void add(String name) throws IOException {
        Class<?> type = load(name, loader);
        if (type == null) {
            return;
        }
        String source = otherSource(type, ourJar);
        if (source == null && !hasOurInterfaces(type)) {
            source = ourJar + " and changed";
        }
        if (source == null) {
            ours++;
        } else {
            others.put(name, source);
        }
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** Null also where nobody can say: under a security manager, or a loader of its own kind. */
    private static String otherSource(Class<?> type, ClassPathEntry ourJar) {
        try {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            URL location = source == null ? null : source.getLocation();
            return location == null || ourJar.mayBeAt(location)
                    ? null
                    : ClassPathEntry.shown(location.toExternalForm());
        } catch (SecurityException e) {
            return null;
        }
    }

    private boolean hasOurInterfaces(Class<?> type) throws IOException {
        Set<String> has = new HashSet<>();
        for (Class<?> one : type.getInterfaces()) {
            has.add(one.getName().replace('.', '/'));
        }
        byte[] aside = AsideClasses.find(type.getName(), ourJar);
        byte[] file =
                aside != null ? aside : ourJar.find(type.getName().replace('.', '/') + ".class");
        return file == null || has.containsAll(ClassShape.read(file).interfaces());
    }
}
