// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.util.stream.Collectors.toUnmodifiableList;
import static net.bytebuddy.dynamic.ClassFileLocator.ForClassLoader.readToNames;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.FrontedMethod.SwitchField;

/** Weaves one module: a folder of compiled patches against the official jars of one line. */
final class Weaver {

    private final Line line;
    private final SwitchField enabled;

    Weaver(Line line, SwitchField enabled) {
        this.line = line;
        this.enabled = enabled;
    }

    /**
     * The woven class files by binary name.
     *
     * @param patches folder of our compiled classes
     * @param flinkJars official jars that hold the targets
     * @param classPath folders and jars that both refer to
     * @throws WeaveException when anything is not exactly as expected; nothing is written then
     */
    Map<String, byte[]> weave(Path patches, List<Path> flinkJars, List<Path> classPath)
            throws IOException {
        List<FlinkJar> opened = new ArrayList<>();
        try {
            for (Path jar : flinkJars) {
                opened.add(FlinkJar.open(jar, line));
            }
            return weaveOpened(patches, opened, classPath);
        } finally {
            for (FlinkJar jar : opened) {
                jar.close();
            }
        }
    }

    /** The same with jars that are open already; the line's checksums hold for their classes. */
    Map<String, byte[]> weaveOpened(Path patches, List<FlinkJar> jars, List<Path> classPath)
            throws IOException {
        requireNoStockClasses(patches, jars);
        List<Path> paths = jars.stream().map(FlinkJar::path).collect(toUnmodifiableList());
        try (ClassFileLocator locator = locator(patches, paths, classPath)) {
            return weave(patches, jars, locator);
        }
    }

    private Map<String, byte[]> weave(Path patches, List<FlinkJar> jars, ClassFileLocator locator)
            throws IOException {
        TypePool pool = TypePool.Default.of(locator);
        requireSwitch(pool);
        ClassWeaver weaver = new ClassWeaver(pool, locator, enabled);
        List<ClassPatch> all = new PatchReader(pool, line).read(patches);
        if (all.isEmpty()) {
            throw new WeaveException("There is no @Patches type in " + patches + ".");
        }
        Map<String, byte[]> woven = new TreeMap<>();
        for (ClassPatch patch : all) {
            requireExactClass(patch.target(), jars);
            try {
                woven.put(patch.target(), weaver.weave(patch));
            } catch (TypePool.Resolution.NoSuchTypeException e) {
                throw new WeaveException(
                        patch.target()
                                + " and its patch refer to "
                                + e.getName()
                                + ", which is missing: add its jar to --class-path.",
                        e);
            }
        }
        return woven;
    }

    /** A whole class of ours would shadow stock's without any check, or be woven a second time. */
    private static void requireNoStockClasses(Path patches, List<FlinkJar> jars)
            throws IOException {
        for (String name : PatchReader.classNames(patches)) {
            for (FlinkJar jar : jars) {
                if (jar.classFile(name).isPresent()) {
                    throw new WeaveException(
                            name
                                    + " is in "
                                    + patches
                                    + " although "
                                    + jar.name()
                                    + " has it: expected only patches, found a whole class; is"
                                    + " the folder already woven?");
                }
            }
        }
    }

    private void requireSwitch(TypePool pool) {
        TypePool.Resolution owner = pool.describe(enabled.owner());
        boolean found =
                owner.isResolved()
                        && owner.resolve().isPublic()
                        && owner.resolve().getDeclaredFields().stream()
                                .filter(field -> field.getName().equals(enabled.name()))
                                .filter(field -> field.getType().represents(boolean.class))
                                .anyMatch(f -> f.isPublic() && f.isStatic() && f.isFinal());
        boolean asked =
                found
                        && owner.resolve().getDeclaredMethods().stream()
                                .filter(method -> method.getName().equals(SwitchField.REQUIRE))
                                .filter(method -> method.getDescriptor().equals("()V"))
                                .anyMatch(method -> method.isPublic() && method.isStatic());
        if (!asked) {
            throw new WeaveException(
                    "The switch "
                            + enabled.owner()
                            + "."
                            + enabled.name()
                            + " is missing: expected a public static final boolean in a public"
                            + " class with a public static void "
                            + SwitchField.REQUIRE
                            + "(), found "
                            + (owner.isResolved()
                                    ? owner.resolve().getDeclaredFields()
                                            + " "
                                            + owner.resolve().getDeclaredMethods()
                                    : "no such class")
                            + ".");
        }
    }

    private void requireExactClass(String target, List<FlinkJar> jars) throws IOException {
        String expected = line.classes().get(target).checksum();
        for (FlinkJar jar : jars) {
            Optional<byte[]> classFile = jar.classFile(target);
            if (classFile.isPresent()) {
                String found = Checksum.of(classFile.get());
                if (!found.equals(expected)) {
                    throw new WeaveException(
                            target
                                    + " is not the class of Flink "
                                    + line.version()
                                    + ": expected SHA-256 "
                                    + expected
                                    + ", found "
                                    + found
                                    + ".");
                }
                return;
            }
        }
        throw new WeaveException(
                target
                        + " is missing: expected it in the jars of Flink "
                        + line.version()
                        + " that were given, found it in none.");
    }

    static ClassFileLocator locator(Path patches, List<Path> flinkJars, List<Path> classPath)
            throws IOException {
        List<ClassFileLocator> locators = new ArrayList<>();
        locators.add(new ClassFileLocator.ForFolder(patches.toFile()));
        for (Path jar : flinkJars) {
            locators.add(ClassFileLocator.ForJarFile.of(jar.toFile()));
        }
        locators.add(ClassPath.locator(classPath));
        // Without its class file an annotation is not seen, and its patch would be passed over.
        locators.add(new ClassFileLocator.Simple(readToNames(PatchReader.ANNOTATIONS)));
        locators.add(ClassFileLocator.ForClassLoader.ofPlatformLoader());
        return new ClassFileLocator.Compound(locators);
    }
}
