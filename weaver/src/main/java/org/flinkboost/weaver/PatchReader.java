// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
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
import org.flinkboost.weaver.ClassPatch.Accessors;
import org.flinkboost.weaver.ClassPatch.Kind;
import org.flinkboost.weaver.ClassPatch.Member;
import org.flinkboost.weaver.ClassPatch.Replacement;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.HandOver;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;
import org.flinkboost.weaver.patch.Writes;

/** Finds the patches in a folder of compiled classes, without loading them. */
final class PatchReader {

    private final TypePool pool;
    private final Line line;

    PatchReader(TypePool pool, Line line) {
        this.pool = pool;
        this.line = line;
    }

    /**
     * All patches of the folder, one per target, in the order of the target's name.
     *
     * @throws WeaveException when a patch is not well formed or its target is not one of the line's
     */
    List<ClassPatch> read(Path folder) throws IOException {
        Map<String, ClassPatch> byTarget = new TreeMap<>();
        for (String name : classNames(folder)) {
            TypeDescription type = pool.describe(name).resolve();
            AnnotationDescription patches = annotation(type, Patches.class);
            if (patches != null) {
                ClassPatch patch = readPatch(type, target(type, patches));
                byTarget.merge(patch.target(), patch, PatchReader::merge);
            }
        }
        return List.copyOf(byTarget.values());
    }

    private static List<String> classNames(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .map(file -> file.replace(folder.getFileSystem().getSeparator(), "."))
                    .sorted()
                    .toList();
        }
    }

    private String target(TypeDescription type, AnnotationDescription patches) {
        List<String> named = Arrays.asList(patches.getValue("value").resolve(String[].class));
        List<String> known = named.stream().filter(line.classes()::containsKey).toList();
        if (known.size() != 1) {
            throw new WeaveException(
                    type.getName()
                            + " patches "
                            + named
                            + ": expected exactly one of them among the classes of line "
                            + line.version()
                            + ", found "
                            + known
                            + ".");
        }
        return known.get(0);
    }

    private static ClassPatch readPatch(TypeDescription type, String target) {
        if (type.isInterface()) {
            return new ClassPatch(target, List.of(), List.of(readAccessors(type)));
        }
        List<Replacement> replacements = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : type.getDeclaredMethods()) {
            AnnotationDescription replaces = annotation(method, Replaces.class);
            if (replaces != null) {
                replacements.add(readReplacement(type, target, method, replaces));
            }
        }
        if (replacements.isEmpty()) {
            throw new WeaveException(
                    type.getName() + " patches " + target + " but replaces none of its methods.");
        }
        return new ClassPatch(target, replacements, List.of());
    }

    private static Replacement readReplacement(
            TypeDescription type,
            String target,
            MethodDescription.InDefinedShape method,
            AnnotationDescription replaces) {
        if (!method.isStatic() || !method.isPublic() || !type.isPublic()) {
            throw malformed(type, method, "must be public and static, in a public class");
        }
        boolean instance = replaces.getValue("instance").resolve(Boolean.class);
        if (instance
                && (method.getParameters().isEmpty()
                        || !method.getParameters()
                                .get(0)
                                .getType()
                                .asErasure()
                                .getName()
                                .equals(target))) {
            throw malformed(type, method, "must take the receiver, " + target + ", first");
        }
        TypeDescription returned = method.getReturnType().asErasure();
        Optional<FieldDescription.InDefinedShape> handOver =
                type.getDeclaredFields().stream()
                        .filter(field -> annotation(field, HandOver.class) != null)
                        .filter(field -> field.getType().asErasure().equals(returned))
                        .findFirst();
        if (handOver.isEmpty() && !returned.represents(boolean.class)) {
            throw malformed(
                    type,
                    method,
                    "needs a @HandOver field of type " + returned.getName() + ", found none");
        }
        return new Replacement(method, instance, handOver);
    }

    private static Accessors readAccessors(TypeDescription type) {
        List<Member> members = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : type.getDeclaredMethods()) {
            if (!method.isAbstract()) {
                continue;
            }
            List<Member> found = new ArrayList<>();
            AnnotationDescription reads = annotation(method, Reads.class);
            AnnotationDescription writes = annotation(method, Writes.class);
            AnnotationDescription calls = annotation(method, Calls.class);
            if (reads != null) {
                found.add(new Member(method, Kind.READS, value(reads)));
            }
            if (writes != null) {
                found.add(new Member(method, Kind.WRITES, value(writes)));
            }
            if (calls != null) {
                found.add(new Member(method, Kind.CALLS, value(calls)));
            }
            if (found.size() != 1) {
                throw malformed(
                        type,
                        method,
                        "needs exactly one of @Reads, @Writes, @Calls, found " + found.size());
            }
            members.addAll(found);
        }
        return new Accessors(type, members);
    }

    private static ClassPatch merge(ClassPatch first, ClassPatch second) {
        return new ClassPatch(
                first.target(),
                concatenated(first.replacements(), second.replacements()),
                concatenated(first.interfaces(), second.interfaces()));
    }

    private static <T> List<T> concatenated(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static String value(AnnotationDescription annotation) {
        return annotation.getValue("value").resolve(String.class);
    }

    private static AnnotationDescription annotation(
            AnnotationSource source, Class<? extends java.lang.annotation.Annotation> type) {
        return source.getDeclaredAnnotations().ofType(TypeDescription.ForLoadedType.of(type));
    }

    private static WeaveException malformed(
            TypeDescription type, MethodDescription method, String problem) {
        return new WeaveException(
                type.getName() + "." + Signature.of(method) + " " + problem + ".");
    }
}
