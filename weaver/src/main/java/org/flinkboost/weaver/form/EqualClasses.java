// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.form.TypeShape.Member;

/**
 * Whether two class files do the same, so that one may stand for the other: everything but the code
 * is equal bit for bit when it is written anew, and each method is equal in {@link MethodForm}.
 *
 * <p>Unlike {@link ClassComparison} it takes nothing for granted that our code does not use. What
 * may differ is the order of constants, names and numbers of lines for debuggers, the numbers of
 * lambdas, and how a compiler writes down a concatenation, a switch or a check for null.
 */
final class EqualClasses {

    private static final int MAJOR_VERSION = 6;

    /** What the compiler names what it makes for other classes, and for serialized lambdas. */
    private static final String ACCESSOR = "access$";

    private static final String DESERIALIZER = "$deserializeLambda$";

    private final byte[] first;
    private final byte[] second;
    private final Map<Member, MethodForm> methods;
    private final Map<Member, MethodForm> others;
    private final Set<List<Member>> compared = new HashSet<>();

    private EqualClasses(byte[] first, byte[] second) {
        this.first = first;
        this.second = second;
        methods = ClassForm.of(first).methods();
        others = ClassForm.of(second).methods();
    }

    /** The first thing in which they differ, in words; empty when they do the same. */
    static Optional<String> difference(byte[] first, byte[] second) {
        if (Arrays.equals(first, second)) {
            return Optional.empty();
        }
        int major = ByteBuffer.wrap(first).getShort(MAJOR_VERSION);
        if (major != ByteBuffer.wrap(second).getShort(MAJOR_VERSION)) {
            return Optional.of("the version of the class file");
        }
        return new EqualClasses(first, second).difference();
    }

    private Optional<String> difference() {
        if (methods.keySet().stream().anyMatch(each -> each.name().equals(DESERIALIZER))) {
            // What is serialized has the numbers of lambdas in it.
            return Optional.of("lambdas that are serialized");
        }
        Set<Member> helpers = helpers(methods);
        Set<Member> otherHelpers = helpers(others);
        if (!Arrays.equals(outline(first, helpers), outline(second, otherHelpers))) {
            return Optional.of("what it declares");
        }
        for (Map.Entry<Member, MethodForm> method : methods.entrySet()) {
            Member name = method.getKey();
            if (!helpers.contains(name) && !doSame(method.getValue(), others.get(name))) {
                return Optional.of(Words.ofSignature(name.name(), name.descriptor()));
            }
        }
        return Optional.empty();
    }

    private boolean doSame(MethodForm method, MethodForm other) {
        if (method.access() != other.access()
                || !method.instructions().equals(other.instructions())
                || method.helpers().size() != other.helpers().size()) {
            return false;
        }
        for (int index = 0; index < method.helpers().size(); index++) {
            Member helper = method.helpers().get(index);
            Member partner = other.helpers().get(index);
            if (compared.add(List.of(helper, partner))
                    && !doSame(methods.get(helper), others.get(partner))) {
                return false;
            }
        }
        return true;
    }

    /** What the compiler made for code of the same class: compared where it is used. */
    private static Set<Member> helpers(Map<Member, MethodForm> methods) {
        Set<Member> found = new TreeSet<>();
        methods.values().forEach(method -> found.addAll(method.helpers()));
        found.removeIf(method -> method.name().startsWith(ACCESSOR));
        return found;
    }

    /** The class file without code; constants come in the order of their use. */
    private static byte[] outline(byte[] classFile, Set<Member> without) {
        ClassWriter writer = new ClassWriter(0);
        OpenedClassReader.of(classFile)
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API, writer) {
                            @Override
                            public void visitSource(String file, String debug) {
                                // For debuggers only.
                            }

                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String type, String s, String[] e) {
                                return without.contains(new Member(name, type))
                                        ? null
                                        : super.visitMethod(access, name, type, s, e);
                            }
                        },
                        ClassReader.SKIP_CODE);
        return writer.toByteArray();
    }
}
