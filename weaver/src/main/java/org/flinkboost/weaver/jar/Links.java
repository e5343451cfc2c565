// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.Opcodes;
import org.flinkboost.weaver.form.TypeShape;
import org.flinkboost.weaver.form.TypeShape.Member;
import org.flinkboost.weaver.form.TypeShape.Reference;
import org.flinkboost.weaver.line.WeaveException;

/**
 * What the classes of a jar need of classes that are neither in it nor of the JDK.
 *
 * <p>Each link is a line of words, internal names throughout:
 *
 * <pre>
 * OWNER class ACCESS                       a class, at least that visible; or "interface"
 * OWNER subtype TYPE                       TYPE, which the jar names, is above it
 * OWNER extended                           a class of the jar extends or implements it
 * OWNER open NAME DESCRIPTOR               and leaves that method to whoever does
 * OWNER method ACCESS NAME DESCRIPTOR      or "static-method", "field", "static-field"
 * </pre>
 */
final class Links {

    private final Map<String, TypeShape> inside;
    private final ClassFileLocator outside;
    private final ClassFileLocator platform = ClassFileLocator.ForClassLoader.ofPlatformLoader();
    private final Map<String, TypeShape> known = new TreeMap<>();
    private final Set<String> named = new TreeSet<>();
    private final Set<String> found = new TreeSet<>();

    private Links(Map<String, TypeShape> inside, Set<String> users, ClassFileLocator outside) {
        this.inside = inside;
        this.outside = outside;
        for (String user : users) {
            named.addAll(inside.get(user).named());
        }
    }

    /**
     * The links of some classes of a jar, sorted.
     *
     * @param classFiles of the jar
     * @param isUser tells by binary name whose links are looked for
     * @param outside finds the classes that they refer to; those of the JDK it need not
     * @throws WeaveException when a class or member that they refer to is not there
     */
    static Set<String> of(
            List<byte[]> classFiles, Predicate<String> isUser, ClassFileLocator outside)
            throws IOException {
        Map<String, TypeShape> inside = new TreeMap<>();
        Set<String> users = new TreeSet<>();
        for (byte[] classFile : classFiles) {
            TypeShape shape = TypeShape.of(classFile);
            inside.put(shape.name(), shape);
            if (isUser.test(shape.name().replace('/', '.'))) {
                users.add(shape.name());
            }
        }
        Links links = new Links(inside, users, outside);
        for (String user : users) {
            links.addAll(inside.get(user));
        }
        return links.found;
    }

    private void addAll(TypeShape user) throws IOException {
        for (Reference reference : user.links()) {
            if (reference.member() == null) {
                addType(reference.owner(), user);
            } else {
                addMember(reference, user);
            }
        }
        for (String supertype : user.supertypes()) {
            if (isOutside(supertype)) {
                found.add(supertype + " extended");
                for (Member member : open(supertype, user)) {
                    found.add(supertype + " open " + member.name() + " " + member.descriptor());
                }
            }
        }
    }

    private void addType(String name, TypeShape user) throws IOException {
        if (!isOutside(name)) {
            return;
        }
        TypeShape shape = shape(name, user);
        String kind = shape.isInterface() ? "interface" : "class";
        found.add(name + " " + kind + " " + access(shape.access()));
        for (String supertype : supertypes(name, user)) {
            // What no class of the jar names it cannot take the class for.
            if (!supertype.equals(name) && isOutside(supertype) && named.contains(supertype)) {
                found.add(name + " subtype " + supertype);
            }
        }
    }

    /** The link is to where the search leaves the jar, because what is in it cannot change. */
    private void addMember(Reference reference, TypeShape user) throws IOException {
        String owner = reference.owner();
        if (isPlatform(owner)) {
            return;
        }
        boolean left = !inside.containsKey(owner);
        boolean constructor = reference.member().name().equals("<init>");
        for (String type : constructor ? Set.of(owner) : supertypes(owner, user)) {
            Integer access = shape(type, user).members(reference.field()).get(reference.member());
            if (access == null) {
                continue;
            }
            // Java's own members are where they are in every Flink.
            if (!inside.containsKey(type) && !isPlatform(type)) {
                String kind = reference.field() ? "field" : "method";
                found.add(
                        String.join(
                                " ",
                                left ? owner : type,
                                (access & Opcodes.ACC_STATIC) == 0 ? kind : "static-" + kind,
                                access(access),
                                reference.member().name(),
                                reference.member().descriptor()));
            }
            return;
        }
        throw missing(reference, user);
    }

    /** The type and all its supertypes, the superclass first. */
    private Set<String> supertypes(String name, TypeShape user) throws IOException {
        Set<String> all = new LinkedHashSet<>();
        collect(name, user, all);
        return all;
    }

    private void collect(String name, TypeShape user, Set<String> all) throws IOException {
        if (all.add(name)) {
            for (String supertype : shape(name, user).supertypes()) {
                collect(supertype, user, all);
            }
        }
    }

    /** The abstract methods that the type and its supertypes leave without a body. */
    private Set<Member> open(String name, TypeShape user) throws IOException {
        Set<Member> without = new TreeSet<>();
        Set<Member> with = new TreeSet<>();
        for (String type : supertypes(name, user)) {
            if (!isPlatform(type)) {
                shape(type, user)
                        .methods()
                        .forEach(
                                (member, access) -> {
                                    boolean body = (access & Opcodes.ACC_ABSTRACT) == 0;
                                    (body ? with : without).add(member);
                                });
            }
        }
        without.removeAll(with);
        return without;
    }

    private boolean isOutside(String name) {
        return !inside.containsKey(name) && !isPlatform(name);
    }

    private boolean isPlatform(String name) {
        try {
            return !inside.containsKey(name)
                    && platform.locate(name.replace('/', '.')).isResolved();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TypeShape shape(String name, TypeShape user) throws IOException {
        TypeShape shape = inside.getOrDefault(name, known.get(name));
        if (shape == null) {
            ClassFileLocator where = isPlatform(name) ? platform : outside;
            ClassFileLocator.Resolution resolution = where.locate(name.replace('/', '.'));
            if (!resolution.isResolved()) {
                throw new WeaveException(
                        user.name().replace('/', '.')
                                + " refers to "
                                + name.replace('/', '.')
                                + ", which is missing: add its jar to --class-path.");
            }
            shape = TypeShape.of(resolution.resolve());
            known.put(name, shape);
        }
        return shape;
    }

    private static WeaveException missing(Reference reference, TypeShape user) {
        return new WeaveException(
                user.name().replace('/', '.')
                        + " refers to "
                        + reference.owner().replace('/', '.')
                        + "."
                        + reference.member().name()
                        + reference.member().descriptor()
                        + ", which is missing: expected it on --class-path, found the class without"
                        + " it.");
    }

    private static String access(int flags) {
        if ((flags & Opcodes.ACC_PUBLIC) != 0) {
            return "public";
        }
        if ((flags & Opcodes.ACC_PROTECTED) != 0) {
            return "protected";
        }
        return (flags & Opcodes.ACC_PRIVATE) != 0 ? "private" : "package";
    }
}
