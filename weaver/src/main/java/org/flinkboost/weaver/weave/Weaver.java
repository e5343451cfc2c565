// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static java.util.stream.Collectors.toUnmodifiableList;
import static net.bytebuddy.dynamic.ClassFileLocator.ForClassLoader.readToNames;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.line.Checksum;
import org.flinkboost.weaver.line.ClassPath;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.FlinkJar;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.PatchedClass;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;

/** Weaves one module: a folder of compiled patches against the official jars of one line. */
public final class Weaver {

    private final Line line;
    private final FamilySwitches switches;

    public Weaver(Line line, FamilySwitches switches) {
        this.line = line;
        this.switches = switches;
    }

    /** What becomes of a module. */
    public static final class Result {

        private final Map<String, byte[]> woven;
        private final Set<String> unused;

        Result(Map<String, byte[]> woven, Set<String> unused) {
            this.woven = woven;
            this.unused = unused;
        }

        /** The woven class files by binary name. */
        public Map<String, byte[]> woven() {
            return woven;
        }

        /** The module's own classes, by binary name, for which the line has no use. */
        public Set<String> unused() {
            return unused;
        }
    }

    /**
     * Weaves what the line has.
     *
     * @param patches folder of our compiled classes
     * @param flinkJars official jars that hold the targets
     * @param classPath folders and jars that both refer to
     * @throws WeaveException when anything is not exactly as expected; nothing is written then
     */
    public Result weave(Path patches, List<Path> flinkJars, List<Path> classPath)
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
    public Result weaveOpened(Path patches, List<FlinkJar> jars, List<Path> classPath)
            throws IOException {
        requireNoStockClasses(patches, jars);
        List<Path> paths = jars.stream().map(FlinkJar::path).collect(toUnmodifiableList());
        try (ClassFileLocator locator = locator(patches, paths, classPath)) {
            return weave(patches, jars, locator);
        }
    }

    private Result weave(Path patches, List<FlinkJar> jars, ClassFileLocator locator)
            throws IOException {
        TypePool pool = TypePool.Default.of(locator);
        switches.requireUsable(pool, line.ownFamilies());
        ClassWeaver weaver = new ClassWeaver(pool, locator, switches);
        PatchReader reader = new PatchReader(pool, line);
        List<ClassPatch> all = reader.read(patches);
        if (all.isEmpty()) {
            throw new WeaveException(
                    "There is no @Patches type in "
                            + patches
                            + " for a class of line "
                            + line.version()
                            + ".");
        }
        Map<String, byte[]> woven = new TreeMap<>();
        for (ClassPatch patch : all) {
            String target = patch.target();
            requireExactClass(target, jars);
            try {
                String family = line.classes().get(target).family();
                woven.put(target, weaver.weave(patch, family, above(pool, patch, all)));
            } catch (TypePool.Resolution.NoSuchTypeException e) {
                throw new WeaveException(
                        target
                                + " and its patch refer to "
                                + e.getName()
                                + ", which is missing: add its jar to --class-path.",
                        e);
            }
        }
        return new Result(woven, unused(patches, reader.skipped()));
    }

    /** The interfaces that the superclasses of a target are given. */
    private static List<Accessors> above(TypePool pool, ClassPatch patch, List<ClassPatch> all) {
        Set<String> superclasses = new HashSet<>();
        TypeDefinition level = pool.describe(patch.target()).resolve().getSuperClass();
        while (level != null) {
            superclasses.add(level.asErasure().getName());
            level = level.getSuperClass();
        }
        return all.stream()
                .filter(other -> superclasses.contains(other.target()))
                .flatMap(other -> other.interfaces().stream())
                .collect(toUnmodifiableList());
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

    /** Each jar that has the class must have that one: the first of them is woven. */
    private void requireExactClass(String target, List<FlinkJar> jars) throws IOException {
        PatchedClass patched = line.classes().get(target);
        boolean there = false;
        for (FlinkJar jar : jars) {
            Optional<byte[]> classFile = jar.classFile(target);
            if (classFile.isEmpty()) {
                continue;
            }
            there |= jar.isOf(patched.jar());
            String found = Checksum.of(classFile.get());
            if (!found.equals(patched.checksum())) {
                throw new WeaveException(
                        target
                                + " is not the class of Flink "
                                + line.version()
                                + ": expected SHA-256 "
                                + patched.checksum()
                                + ", found "
                                + found
                                + " in "
                                + jar.name()
                                + ".");
            }
        }
        if (!there) {
            throw new WeaveException(
                    target
                            + " is missing: expected it in the jar of "
                            + patched.jar()
                            + " "
                            + line.version()
                            + ", found it in none such of "
                            + jars.stream().map(FlinkJar::name).collect(toUnmodifiableList())
                            + ".");
        }
    }

    /** What stands in packages of families of which the line has no class, or patches theirs. */
    private Set<String> unused(Path patches, Map<String, String> skipped) throws IOException {
        Set<String> families = new TreeSet<>(line.families().values());
        Set<String> absent = new TreeSet<>(families);
        absent.removeAll(line.ownFamilies());
        Set<String> unused = new TreeSet<>();
        for (String name : PatchReader.classNames(patches)) {
            String outermost = name.replaceFirst("\\$.*", "");
            boolean ofAbsentPatch =
                    absent.contains(skipped.getOrDefault(name, ""))
                            || absent.contains(skipped.getOrDefault(outermost, ""));
            if (ofAbsentPatch
                    || switches.familyOf(name, families).filter(absent::contains).isPresent()) {
                unused.add(name);
            }
        }
        return unused;
    }

    public static ClassFileLocator locator(Path patches, List<Path> flinkJars, List<Path> classPath)
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
