// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.annotation.AnnotationSource;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.HandOver;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;
import org.flinkboost.weaver.patch.Writes;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Replacement;

/** Finds the patches in a folder of compiled classes, without loading them. */
final class PatchReader {

    /** What a patch is written with. */
    static final List<Class<?>> ANNOTATIONS =
            List.of(
                    Patches.class,
                    Replaces.class,
                    HandOver.class,
                    Reads.class,
                    Writes.class,
                    Calls.class,
                    Adds.class);

    private final TypePool pool;
    private final Line line;
    private final Map<String, List<Accessors>> interfaces = new TreeMap<>();
    private final Map<String, List<TypeDescription>> classes = new TreeMap<>();
    private final List<FieldDescription.InDefinedShape> handOvers = new ArrayList<>();
    private final Map<String, String> skipped = new TreeMap<>();

    PatchReader(TypePool pool, Line line) {
        this.pool = pool;
        this.line = line;
    }

    /**
     * All patches of classes that the line has, one per target, in the order of the target's name.
     *
     * @throws WeaveException when a patch is not well formed or no line has its target
     */
    List<ClassPatch> read(Path folder) throws IOException {
        for (String name : classNames(folder)) {
            TypeDescription type = pool.describe(name).resolve();
            readHandOver(type);
            Optional<AnnotationDescription> patches = patches(type);
            if (patches.isPresent()) {
                target(type, patches.get()).ifPresent(target -> add(type, target));
            } else {
                refuse(type, Replaces.class, "in a type without @Patches");
                refuseAccessors(type, "in a type without @Patches");
            }
        }
        Map<String, ClassPatch> byTarget = new TreeMap<>();
        interfaces.forEach((target, all) -> byTarget.put(target, patch(target)));
        classes.forEach((target, all) -> byTarget.put(target, patch(target)));
        return List.copyOf(byTarget.values());
    }

    /** The types that patch what the line has not, by binary name, with the family of each. */
    Map<String, String> skipped() {
        return skipped;
    }

    /** The binary names of all classes of a folder, sorted. */
    static List<String> classNames(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .map(file -> file.replace(folder.getFileSystem().getSeparator(), "."))
                    .sorted()
                    .collect(toUnmodifiableList());
        }
    }

    /** A type's own annotation; an interface in a patch patches what that does. */
    private static Optional<AnnotationDescription> patches(TypeDescription type) {
        AnnotationDescription own = annotation(type, Patches.class);
        TypeDescription around = type.getDeclaringType();
        return own == null && type.isInterface() && around != null
                ? patches(around)
                : Optional.ofNullable(own);
    }

    /** The one that the line has; empty where no line of this age has any of them. */
    private Optional<String> target(TypeDescription type, AnnotationDescription patches) {
        List<String> named = Arrays.asList(patches.getValue("value").resolve(String[].class));
        for (String name : named) {
            if (!line.families().containsKey(name)) {
                throw new WeaveException(
                        type.getName()
                                + " patches "
                                + name
                                + ": expected a class that [patched] names, found "
                                + line.families().keySet()
                                + ".");
            }
        }
        List<String> known =
                named.stream().filter(line.classes()::containsKey).collect(toUnmodifiableList());
        if (known.size() > 1) {
            throw new WeaveException(
                    type.getName()
                            + " patches "
                            + named
                            + ": expected at most one of them among the classes of line "
                            + line.version()
                            + ", found "
                            + known
                            + ".");
        }
        if (known.isEmpty()) {
            skipped.put(type.getName(), line.families().get(named.get(0)));
        }
        return known.stream().findFirst();
    }

    private void add(TypeDescription type, String target) {
        if (type.isInterface()) {
            refuse(type, Replaces.class, "in an interface, expected a class");
            interfaces
                    .computeIfAbsent(target, key -> new ArrayList<>())
                    .add(AccessorReader.read(type));
        } else {
            refuseAccessors(type, "in a class, expected an interface");
            classes.computeIfAbsent(target, key -> new ArrayList<>()).add(type);
        }
    }

    private void readHandOver(TypeDescription type) {
        for (FieldDescription.InDefinedShape field : type.getDeclaredFields()) {
            if (annotation(field, HandOver.class) == null) {
                continue;
            }
            boolean visible = type.isPublic() && field.isPublic();
            if (!visible
                    || !field.isStatic()
                    || !field.isFinal()
                    || !field.getType().represents(Object.class)) {
                throw new WeaveException(
                        "The @HandOver field is "
                                + field
                                + ": expected a public static final java.lang.Object in a public"
                                + " class.");
            }
            handOvers.add(field);
        }
    }

    private ClassPatch patch(String target) {
        List<Accessors> accessors = interfaces.getOrDefault(target, List.of());
        List<Replacement> replacements = new ArrayList<>();
        for (TypeDescription type : classes.getOrDefault(target, List.of())) {
            int before = replacements.size();
            for (MethodDescription.InDefinedShape method : type.getDeclaredMethods()) {
                if (annotation(method, Replaces.class) != null) {
                    replacements.add(replacement(type, method, accessors));
                }
            }
            if (replacements.size() == before) {
                throw new WeaveException(
                        type.getName()
                                + " patches "
                                + target
                                + " but replaces none of its methods.");
            }
        }
        return new ClassPatch(target, replacements, accessors);
    }

    private Replacement replacement(
            TypeDescription type,
            MethodDescription.InDefinedShape method,
            List<Accessors> accessors) {
        if (!method.isStatic() || !method.isPublic() || !type.isPublic()) {
            throw malformed(type, method, "must be public and static, in a public class");
        }
        boolean instance =
                method.getParameters().asTypeList().asErasures().stream()
                        .limit(1)
                        .anyMatch(
                                first -> accessors.stream().anyMatch(a -> a.type().equals(first)));
        return new Replacement(method, instance, handOver(type, method));
    }

    /** The field that means "stock's body"; empty where the target returns void. */
    private Optional<FieldDescription.InDefinedShape> handOver(
            TypeDescription type, MethodDescription.InDefinedShape method) {
        TypeDescription returned = method.getReturnType().asErasure();
        if (returned.represents(boolean.class)) {
            return Optional.empty();
        }
        if (!returned.represents(Object.class)) {
            throw malformed(
                    type,
                    method,
                    "returns "
                            + returned.getName()
                            + ": expected boolean in front of a void method, or java.lang.Object"
                            + " in front of one that returns an object; a method that returns a"
                            + " primitive cannot be replaced");
        }
        if (handOvers.size() != 1) {
            throw malformed(
                    type,
                    method,
                    "needs one @HandOver field among all patches, found " + handOvers);
        }
        return Optional.of(handOvers.get(0));
    }

    private static void refuseAccessors(TypeDescription type, String where) {
        for (Kind kind : Kind.values()) {
            refuse(type, kind.annotation(), where);
        }
    }

    private static void refuse(
            TypeDescription type, Class<? extends Annotation> misplaced, String where) {
        for (MethodDescription method : type.getDeclaredMethods()) {
            if (annotation(method, misplaced) != null) {
                throw malformed(
                        type, method, "carries @" + misplaced.getSimpleName() + " " + where);
            }
        }
    }

    static AnnotationDescription annotation(
            AnnotationSource source, Class<? extends Annotation> type) {
        return source.getDeclaredAnnotations().ofType(TypeDescription.ForLoadedType.of(type));
    }

    static WeaveException malformed(
            TypeDescription type, MethodDescription method, String problem) {
        return new WeaveException(
                type.getName() + "." + Signature.of(method) + " " + problem + ".");
    }
}
