// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
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

    /** What a patch is written with. */
    static final List<Class<?>> ANNOTATIONS =
            List.of(
                    Patches.class,
                    Replaces.class,
                    HandOver.class,
                    Reads.class,
                    Writes.class,
                    Calls.class);

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
            if (patches == null) {
                refuse(type, Replaces.class, "in a type without @Patches");
                refuse(type, Reads.class, "in a type without @Patches");
                refuse(type, Writes.class, "in a type without @Patches");
                refuse(type, Calls.class, "in a type without @Patches");
                continue;
            }
            ClassPatch patch = readPatch(type, target(type, patches));
            byTarget.merge(patch.target(), patch, PatchReader::merge);
        }
        return List.copyOf(byTarget.values());
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

    private String target(TypeDescription type, AnnotationDescription patches) {
        List<String> named = Arrays.asList(patches.getValue("value").resolve(String[].class));
        List<String> known =
                named.stream().filter(line.classes()::containsKey).collect(toUnmodifiableList());
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
            refuse(type, Replaces.class, "in an interface, expected a class");
            return new ClassPatch(target, List.of(), List.of(readAccessors(type)));
        }
        refuse(type, Reads.class, "in a class, expected an interface");
        refuse(type, Writes.class, "in a class, expected an interface");
        refuse(type, Calls.class, "in a class, expected an interface");
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
        return new Replacement(method, instance, handOver(type, method));
    }

    /** The field that means "stock's body"; empty where the target returns void. */
    private static Optional<FieldDescription.InDefinedShape> handOver(
            TypeDescription type, MethodDescription.InDefinedShape method) {
        TypeDescription returned = method.getReturnType().asErasure();
        if (returned.represents(boolean.class)) {
            return Optional.empty();
        }
        if (returned.isPrimitive()) {
            throw malformed(
                    type,
                    method,
                    "returns "
                            + returned.getName()
                            + ": expected boolean in front of a void method, or the target's own"
                            + " reference type; a method that returns a primitive cannot be"
                            + " replaced");
        }
        List<FieldDescription.InDefinedShape> fields =
                type.getDeclaredFields().stream()
                        .filter(field -> annotation(field, HandOver.class) != null)
                        .filter(field -> field.getType().asErasure().equals(returned))
                        .collect(toUnmodifiableList());
        if (fields.size() != 1) {
            throw malformed(
                    type,
                    method,
                    "needs one @HandOver field of type "
                            + returned.getName()
                            + ", found "
                            + fields.stream()
                                    .map(FieldDescription::getName)
                                    .collect(toUnmodifiableList()));
        }
        FieldDescription.InDefinedShape field = fields.get(0);
        if (!field.isPublic() || !field.isStatic() || !field.isFinal()) {
            throw malformed(
                    type,
                    method,
                    "needs a public static final @HandOver field, found "
                            + Modifier.toString(field.getModifiers())
                            + " "
                            + field.getName());
        }
        return Optional.of(field);
    }

    private static Accessors readAccessors(TypeDescription type) {
        if (!type.isPublic()) {
            throw new WeaveException(
                    type.getName() + " must be a public interface: the target implements it.");
        }
        List<Member> members = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : type.getDeclaredMethods()) {
            List<Member> found = new ArrayList<>();
            member(method, Kind.READS, Reads.class).ifPresent(found::add);
            member(method, Kind.WRITES, Writes.class).ifPresent(found::add);
            member(method, Kind.CALLS, Calls.class).ifPresent(found::add);
            if (!method.isAbstract() && !found.isEmpty()) {
                throw malformed(
                        type, method, "has a body, expected an abstract method to be implemented");
            }
            if (method.isAbstract() && found.size() != 1) {
                throw malformed(
                        type,
                        method,
                        "needs exactly one of @Reads, @Writes, @Calls, found " + found.size());
            }
            found.forEach(member -> requireAccessorShape(type, member));
            members.addAll(found);
        }
        return new Accessors(type, members);
    }

    private static Optional<Member> member(
            MethodDescription.InDefinedShape method, Kind kind, Class<? extends Annotation> type) {
        return Optional.ofNullable(annotation(method, type))
                .map(found -> found.getValue("value").resolve(String.class))
                .map(targetMember -> new Member(method, kind, targetMember));
    }

    private static void requireAccessorShape(TypeDescription type, Member member) {
        boolean isVoid = member.method().getReturnType().represents(void.class);
        int parameters = member.method().getParameters().size();
        if (member.kind() == Kind.READS && (isVoid || parameters != 0)) {
            throw malformed(
                    type, member.method(), "reads a field: expected no parameter and a result");
        }
        if (member.kind() == Kind.WRITES && (!isVoid || parameters != 1)) {
            throw malformed(
                    type, member.method(), "writes a field: expected one parameter and no result");
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

    private static ClassPatch merge(ClassPatch first, ClassPatch second) {
        return new ClassPatch(
                first.target(),
                concatenated(first.replacements(), second.replacements()),
                concatenated(first.interfaces(), second.interfaces()));
    }

    private static <T> List<T> concatenated(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).collect(toUnmodifiableList());
    }

    private static AnnotationDescription annotation(
            AnnotationSource source, Class<? extends Annotation> type) {
        return source.getDeclaredAnnotations().ofType(TypeDescription.ForLoadedType.of(type));
    }

    private static WeaveException malformed(
            TypeDescription type, MethodDescription method, String problem) {
        return new WeaveException(
                type.getName() + "." + Signature.of(method) + " " + problem + ".");
    }
}
