// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.Opcodes;
import org.flinkboost.weaver.TypeShape.Member;

/**
 * Whether a class file does, where our code depends on it, what stock's does.
 *
 * <p>That are the methods that our code replaces or calls, whatever of the same class these call in
 * turn, the constructors and, where a static field matters, the static initialiser; the fields that
 * all of them touch; and the shape of the class. Everything else may be another.
 */
final class ClassComparison {

    private static final int METHOD_FLAGS =
            Opcodes.ACC_PUBLIC
                    | Opcodes.ACC_PROTECTED
                    | Opcodes.ACC_PRIVATE
                    | Opcodes.ACC_STATIC
                    | Opcodes.ACC_FINAL
                    | Opcodes.ACC_SYNCHRONIZED
                    | Opcodes.ACC_NATIVE
                    | Opcodes.ACC_ABSTRACT;
    private static final int FIELD_FLAGS =
            Opcodes.ACC_STATIC | Opcodes.ACC_FINAL | Opcodes.ACC_VOLATILE | Opcodes.ACC_TRANSIENT;
    private static final int CLASS_FLAGS =
            Opcodes.ACC_PUBLIC
                    | Opcodes.ACC_FINAL
                    | Opcodes.ACC_ABSTRACT
                    | Opcodes.ACC_INTERFACE
                    | Opcodes.ACC_ENUM;
    private static final Member INITIALISER = new Member("<clinit>", "()V");
    private static final Member SERIAL_VERSION = new Member("serialVersionUID", "J");

    private final ClassForm stock;
    private final ClassForm other;
    private final Uses uses;
    private final List<String> differences = new ArrayList<>();
    private final Set<Member> seen = new HashSet<>();
    private final Deque<Member> open = new ArrayDeque<>();
    private final Set<Member> fields = new TreeSet<>();

    private ClassComparison(ClassForm stock, ClassForm other, Uses uses) {
        this.stock = stock;
        this.other = other;
        this.uses = uses;
    }

    /** A sentence for each thing that differs and matters; none when the class will do. */
    static List<String> differences(byte[] stock, byte[] other, Uses uses) {
        ClassComparison comparison =
                new ClassComparison(ClassForm.of(stock), ClassForm.of(other), uses);
        comparison.compare();
        return comparison.differences;
    }

    private void compare() {
        compareShape();
        fields.addAll(uses.fields());
        fields.add(SERIAL_VERSION);
        uses.methods().forEach(this::reach);
        stock.methods().keySet().stream()
                .filter(method -> method.name().equals("<init>"))
                .forEach(this::reach);
        while (!open.isEmpty()) {
            compareMethod(open.poll());
            if (open.isEmpty() && fields.stream().anyMatch(this::isInitialised)) {
                reach(INITIALISER);
            }
        }
        fields.forEach(this::compareField);
    }

    private void reach(Member method) {
        if (seen.add(method)) {
            open.add(method);
        }
    }

    /** Whether a field of the class has its value from the static initialiser. */
    private boolean isInitialised(Member field) {
        Integer access = stock.shape().fields().get(field);
        return access != null
                && (access & Opcodes.ACC_STATIC) != 0
                && !stock.constants().containsKey(field);
    }

    private void compareShape() {
        TypeShape expected = stock.shape();
        TypeShape found = other.shape();
        compareFlags("the class", CLASS_FLAGS, expected.access(), found.access());
        if (!new TreeSet<>(expected.supertypes()).equals(new TreeSet<>(found.supertypes()))) {
            differ(
                    "it extends or implements "
                            + dotted(found.supertypes())
                            + ", expected "
                            + dotted(expected.supertypes()));
        }
    }

    private void compareField(Member field) {
        Integer expected = stock.shape().fields().get(field);
        Integer found = other.shape().fields().get(field);
        String named = "field " + Words.ofType(field.descriptor()) + " " + field.name();
        if (expected == null && found == null) {
            return;
        }
        if (expected == null || found == null) {
            differ(named + (found == null ? " is missing" : " is there, expected none"));
            return;
        }
        compareFlags(named, FIELD_FLAGS, expected, found);
        Object constant = stock.constants().get(field);
        if (!Objects.equals(constant, other.constants().get(field))) {
            differ(
                    named
                            + " is "
                            + valued(other.constants().get(field))
                            + ", expected "
                            + valued(constant));
        }
    }

    private void compareMethod(Member method) {
        MethodForm expected = stock.methods().get(method);
        MethodForm found = other.methods().get(method);
        if (expected == null && found == null) {
            return;
        }
        if (expected == null || found == null) {
            String named = Words.ofSignature(method.name(), method.descriptor());
            differ(named + (found == null ? " is missing" : " is there, expected it inherited"));
            return;
        }
        compareBodies(Words.ofSignature(method.name(), method.descriptor()), expected, found);
    }

    private void compareBodies(String named, MethodForm expected, MethodForm found) {
        compareFlags(named, METHOD_FLAGS, expected.access(), found.access());
        fields.addAll(expected.fields());
        fields.addAll(found.fields());
        expected.calls().forEach(this::reach);
        found.calls().forEach(this::reach);
        List<String> wanted = expected.instructions();
        List<String> had = found.instructions();
        for (int index = 0; index < Math.max(wanted.size(), had.size()); index++) {
            String should = index < wanted.size() ? wanted.get(index) : "the end";
            String is = index < had.size() ? had.get(index) : "the end";
            if (!should.equals(is)) {
                differ(
                        String.format(
                                "%s, instruction %d is `%s`, expected `%s`",
                                named, numbered(wanted, index), is, should));
                return;
            }
        }
        for (int index = 0; index < expected.helpers().size(); index++) {
            Member ours = expected.helpers().get(index);
            Member theirs = found.helpers().get(index);
            // Their names are the compiler's, so that they are compared where they are used.
            if (seen.add(ours)) {
                compareBodies(
                        named + ", in what the compiler made of it",
                        stock.methods().get(ours),
                        other.methods().get(theirs));
            }
        }
    }

    /** Which instruction that line is: the names of places are none. */
    private static long numbered(List<String> lines, int index) {
        return 1 + lines.stream().limit(index).filter(line -> !line.endsWith(":")).count();
    }

    private void compareFlags(String named, int mask, int expected, int found) {
        if ((expected & mask) != (found & mask)) {
            differ(named + " is " + flags(found & mask) + ", expected " + flags(expected & mask));
        }
    }

    private void differ(String what) {
        differences.add(stock.shape().name().replace('/', '.') + ": " + what);
    }

    private static String flags(int access) {
        String text = Modifier.toString(access);
        return text.isEmpty() ? "without a modifier" : text;
    }

    private static String valued(Object constant) {
        return constant == null ? "no constant" : Words.ofConstant(constant);
    }

    private static String dotted(List<String> names) {
        return String.join(", ", names).replace('/', '.');
    }
}
