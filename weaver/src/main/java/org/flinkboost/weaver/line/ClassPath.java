// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;
import net.bytebuddy.dynamic.ClassFileLocator;

/** Finds class files in folders and jars. */
public final class ClassPath {

    private ClassPath() {}

    /** Looks into the entries in their order; one that is not there, or no jar, is passed over. */
    public static ClassFileLocator locator(List<Path> entries) throws IOException {
        List<ClassFileLocator> locators = new ArrayList<>();
        for (Path entry : entries) {
            if (entry.toString().isEmpty()) {
                // What stands between two separators, and not the folder that we are in.
                continue;
            }
            if (Files.isDirectory(entry)) {
                locators.add(new ClassFileLocator.ForFolder(entry.toFile()));
            } else if (Files.isRegularFile(entry)) {
                try {
                    locators.add(ClassFileLocator.ForJarFile.of(entry.toFile()));
                } catch (ZipException noJar) {
                    // A JVM passes over it, too.
                    continue;
                }
            }
        }
        return new ClassFileLocator.Compound(locators);
    }
}
