// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Woven classes that lie in a folder of our jar where no class loader looks. Only where their
 * family fits they become classes: until then {@code Class.forName} finds what it finds without our
 * jar, and a class file that is another than ours was woven from stays in use.
 *
 * <p>Each package of theirs has a class {@value #DOOR} of ours beside Flink's own, with a static
 * method {@code lookup()}: a class can be defined only from within its package.
 */
public final class AsideClasses {

    /** Where they lie, each under the name of its class file. */
    public static final String FOLDER = "META-INF/flink-boost/aside/";

    /** The simple name of the class that lets us into a package. */
    public static final String DOOR = "FlinkBoostDoor";

    private final ClassPathEntry ourJar;
    private final ClassLoader loader;

    /** Those in our jar, to be defined for a loader. */
    public AsideClasses(ClassPathEntry ourJar, ClassLoader loader) {
        this.ourJar = ourJar;
        this.loader = loader;
    }

    /** The class file of that class where it lies aside; else null. */
    public static byte[] find(String className, ClassPathEntry ourJar) throws IOException {
        return ourJar.find(FOLDER + className.replace('.', '/') + ".class");
    }

    /** Defines the classes, supertypes first; what kept one from it, or null when nothing did. */
    public String define(Set<String> names) throws IOException {
        Set<String> ordered = new LinkedHashSet<>();
        for (String name : names) {
            collect(name, names, ordered);
        }
        for (String name : ordered) {
            String problem = define(name, find(name, ourJar));
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private void collect(String name, Set<String> names, Set<String> ordered) throws IOException {
        byte[] file = names.contains(name) ? find(name, ourJar) : null;
        if (file == null || ordered.contains(name)) {
            return;
        }
        for (String supertype : ClassShape.read(file).supertypes()) {
            collect(supertype.replace('/', '.'), names, ordered);
        }
        ordered.add(name);
    }

    private String define(String name, byte[] file) {
        try {
            Lookup lookup = lookup(name);
            // Since Java 9, and this class is compiled for 8.
            Method define = Lookup.class.getMethod("defineClass", byte[].class);
            // Another thread may be loading Flink's class at this moment.
            synchronized (LoadingLock.of(lookup.lookupClass().getClassLoader(), name)) {
                define.invoke(lookup, file);
            }
            return null;
        } catch (InvocationTargetException e) {
            return name
                    + " was in use before flink-boost was asked, or is damaged ("
                    + e.getCause()
                    + ")";
        } catch (ReflectiveOperationException | LinkageError e) {
            return name + " cannot be defined (" + e + ")";
        }
    }

    private Lookup lookup(String name) throws ReflectiveOperationException {
        String door = name.substring(0, name.lastIndexOf('.') + 1) + DOOR;
        return (Lookup) Class.forName(door, true, loader).getMethod("lookup").invoke(null);
    }
}
