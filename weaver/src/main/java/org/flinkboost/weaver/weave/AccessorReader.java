// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.weave;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.ClassPatch.Accessors;
import org.flinkboost.weaver.weave.ClassPatch.Kind;
import org.flinkboost.weaver.weave.ClassPatch.Member;

/** Reads an interface that a target shall implement. */
final class AccessorReader {

    private AccessorReader() {}

    /**
     * What each of its methods shall do.
     *
     * @throws WeaveException when the interface or one of its methods is not well formed
     */
    static Accessors read(TypeDescription type) {
        if (!type.isPublic()) {
            throw new WeaveException(
                    type.getName() + " must be a public interface: the target implements it.");
        }
        List<Member> members = new ArrayList<>();
        for (MethodDescription.InDefinedShape method : type.getDeclaredMethods()) {
            List<Member> found = annotated(method);
            if (!method.isAbstract() && !found.isEmpty()) {
                throw PatchReader.malformed(
                        type, method, "has a body, expected an abstract method to be implemented");
            }
            if (method.isAbstract() && found.size() != 1) {
                throw PatchReader.malformed(
                        type,
                        method,
                        "needs exactly one of @Reads, @Writes, @Calls, @Adds, found "
                                + found.size());
            }
            found.forEach(member -> requireShape(type, member));
            members.addAll(found);
        }
        members.forEach(member -> requirePair(type, member, members));
        return new Accessors(type, members);
    }

    private static List<Member> annotated(MethodDescription.InDefinedShape method) {
        List<Member> found = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            AnnotationDescription annotation = PatchReader.annotation(method, kind.annotation());
            if (annotation != null) {
                String name = annotation.getValue("value").resolve(String.class);
                found.add(new Member(method, kind, name));
            }
        }
        return found;
    }

    private static void requireShape(TypeDescription type, Member member) {
        int parameters = member.method().getParameters().size();
        boolean getter = !member.sets() && parameters == 0;
        boolean setter = member.sets() && parameters == 1;
        if (member.kind() == Kind.READS && !getter) {
            throw PatchReader.malformed(
                    type, member.method(), "reads a field: expected no parameter and a result");
        }
        if (member.kind() == Kind.WRITES && !setter) {
            throw PatchReader.malformed(
                    type, member.method(), "writes a field: expected one parameter and no result");
        }
        if (member.kind() == Kind.ADDS && !getter && !setter) {
            throw PatchReader.malformed(
                    type, member.method(), "adds a field: expected a getter or a setter");
        }
    }

    /** A field of ours that nobody sets, or nobody gets, is a mistake. */
    private static void requirePair(TypeDescription type, Member member, List<Member> all) {
        if (member.kind() != Kind.ADDS) {
            return;
        }
        List<Member> others =
                all.stream()
                        .filter(other -> other != member && other.kind() == Kind.ADDS)
                        .filter(other -> other.targetMember().equals(member.targetMember()))
                        .collect(toUnmodifiableList());
        boolean paired =
                others.size() == 1
                        && others.get(0).sets() != member.sets()
                        && others.get(0).fieldType().equals(member.fieldType());
        if (!paired) {
            throw PatchReader.malformed(
                    type,
                    member.method(),
                    "adds the field "
                            + member.targetMember()
                            + ": expected one getter and one setter of the same type in this"
                            + " interface, found beside it "
                            + others.stream()
                                    .map(other -> Signature.of(other.method()))
                                    .collect(toUnmodifiableList()));
        }
    }
}
