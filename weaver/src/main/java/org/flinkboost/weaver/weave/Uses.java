// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.form.TypeShape;
import org.flinkboost.weaver.form.TypeShape.Member;
import org.flinkboost.weaver.form.TypeShape.Reference;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Replacement;

/** What our code replaces, calls, reads and writes in one class of Flink. */
public final class Uses {

    private final Set<Member> methods = new TreeSet<>();
    private final Set<Member> fields = new TreeSet<>();

    private Uses() {}

    /**
     * What our classes use of each that they patch, by its binary name.
     *
     * @param patches folder of our compiled classes
     * @param pool describes them, and stock's classes
     * @throws WeaveException when a patch names what stock's class does not have
     */
    public static Map<String, Uses> of(Path patches, Line line, TypePool pool) throws IOException {
        List<TypeShape> ours = new ArrayList<>();
        for (String name : PatchReader.classNames(patches)) {
            Path file = patches.resolve(name.replace('.', '/') + ".class");
            ours.add(TypeShape.of(Files.readAllBytes(file)));
        }
        Map<String, Uses> all = new TreeMap<>();
        for (ClassPatch patch : new PatchReader(pool, line).read(patches)) {
            all.put(patch.target(), of(patch, pool.describe(patch.target()).resolve(), ours));
        }
        return all;
    }

    /** What any class of ours calls of the target or of what is above it, the target may answer. */
    private static Uses of(ClassPatch patch, TypeDescription target, Collection<TypeShape> ours) {
        Uses uses = new Uses();
        TargetClass stock = new TargetClass(target);
        TargetMembers members = new TargetMembers(target);
        for (Replacement replacement : patch.replacements()) {
            uses.methods.add(member(stock.replaced(replacement)));
        }
        for (Accessors accessors : patch.interfaces()) {
            for (ClassPatch.Member member : accessors.members()) {
                if (member.kind() == Kind.CALLS) {
                    uses.methods.add(member(members.called(member)));
                } else if (member.kind() != Kind.ADDS) {
                    FieldDescription.InDefinedShape field = members.accessed(member);
                    requireOwn(target, field, member.kind());
                    uses.fields.add(new Member(field.getName(), field.getDescriptor()));
                }
            }
        }
        Set<String> answered = new LinkedHashSet<>();
        collect(target, answered);
        for (TypeShape shape : ours) {
            for (Reference reference : shape.links()) {
                if (reference.member() != null && answered.contains(reference.owner())) {
                    (reference.field() ? uses.fields : uses.methods).add(reference.member());
                }
            }
        }
        return uses;
    }

    /** Methods by name and descriptor; not each need be declared by the class itself. */
    public Set<Member> methods() {
        return methods;
    }

    /** Fields likewise. */
    public Set<Member> fields() {
        return fields;
    }

    /** What a superclass does with a field of its own is not compared. */
    private static void requireOwn(
            TypeDescription target, FieldDescription.InDefinedShape field, Kind kind) {
        if (kind == Kind.WRITES && !field.getDeclaringType().equals(target)) {
            throw new WeaveException(
                    target.getName()
                            + ": our code sets "
                            + field.getName()
                            + " of "
                            + field.getDeclaringType().getName()
                            + ", of which own builds compare no bodies.");
        }
    }

    private static Member member(MethodDescription.InDefinedShape method) {
        return new Member(method.getInternalName(), method.getDescriptor());
    }

    private static void collect(TypeDefinition type, Set<String> names) {
        if (type.represents(Object.class) || !names.add(type.asErasure().getInternalName())) {
            return;
        }
        if (type.getSuperClass() != null) {
            collect(type.getSuperClass(), names);
        }
        type.getInterfaces().forEach(each -> collect(each, names));
    }
}
