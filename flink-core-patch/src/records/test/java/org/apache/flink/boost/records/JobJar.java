// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.FlinkUserCodeClassLoaders;

/** A job's jar, and the class loader that a cluster gives it. */
final class JobJar {

    private static final String CLASS_FILE = ".class";

    private final Path jar;
    private final ClassLoader loader;

    /**
     * @param jars the job's, and behind it those that lie inside of it
     * @param configuration the cluster's: it says which classes are Flink's in any case
     */
    JobJar(List<Path> jars, Configuration configuration) throws MalformedURLException {
        this.jar = jars.get(0);
        URL[] places = new URL[jars.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = jars.get(i).toUri().toURL();
        }
        this.loader =
                FlinkUserCodeClassLoaders.create(
                        places, JobJar.class.getClassLoader(), configuration);
    }

    ClassLoader loader() {
        return loader;
    }

    /**
     * The binary names of its classes in the jar's order.
     *
     * @param beginnings of which a name has to have one; none for all
     */
    List<String> names(List<String> beginnings) throws IOException {
        List<String> names = new ArrayList<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(CLASS_FILE) && !name.startsWith("META-INF/"))
                    .map(name -> name.substring(0, name.length() - CLASS_FILE.length()))
                    // Those of modules and packages.
                    .filter(name -> !name.endsWith("-info"))
                    .map(name -> name.replace('/', '.'))
                    .filter(name -> isWanted(name, beginnings))
                    .forEach(names::add);
        }
        return names;
    }

    private static boolean isWanted(String name, List<String> beginnings) {
        return beginnings.isEmpty() || beginnings.stream().anyMatch(name::startsWith);
    }

    /**
     * A class of the job, which is not initialised; null for one that the cluster has itself.
     *
     * @throws ClassNotFoundException or a {@code LinkageError} when it, or one that it extends,
     *     cannot be loaded
     */
    Class<?> load(String name) throws ClassNotFoundException {
        Class<?> type = Class.forName(name, false, loader);
        return type.getClassLoader() == JobJar.class.getClassLoader() ? null : type;
    }
}
