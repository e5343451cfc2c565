// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.bytebuddy.jar.asm.Opcodes;
import org.flinkboost.weaver.form.TypeShape.Member;
import org.flinkboost.weaver.form.TypeShape.Reference;

/**
 * Whether a class file does, where our code depends on it, what stock's does.
 *
 * <p>That are the methods that our code replaces or calls; all others that touch a field which
 * these or our code touch, because our code gives such fields other values, or at other moments,
 * than stock's bodies do; whatever of the same class all of them call in turn, the constructors
 * and, where a static field matters, the static initialiser; the fields of all of them; and the
 * shape of the class. Everything else may be another: bodies of a superclass, too, which our code
 * calls as stock's does, and whose fields it may only read.
 */
public final class ClassComparison {

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
            Opcodes.ACC_PUBLIC
                    | Opcodes.ACC_PROTECTED
                    | Opcodes.ACC_PRIVATE
                    | Opcodes.ACC_STATIC
                    | Opcodes.ACC_FINAL
                    | Opcodes.ACC_VOLATILE
                    | Opcodes.ACC_TRANSIENT;
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
    private final Collection<TypeShape> nest;
    private final Set<Member> called;
    private final List<String> differences = new ArrayList<>();
    private final Set<Member> seen = new HashSet<>();
    private final Deque<Member> open = new ArrayDeque<>();
    private final Set<Member> fields = new TreeSet<>();
    private final Map<Member, Member> touching = new TreeMap<>();

    private ClassComparison(
            ClassForm stock, ClassForm other, Collection<TypeShape> nest, Set<Member> called) {
        this.stock = stock;
        this.other = other;
        this.nest = nest;
        this.called = called;
    }

    /**
     * A sentence for each thing that differs and matters; none when the class will do.
     *
     * @param nest the other classes that may touch private fields of {@code other}
     * @param methods what our code replaces or calls; not each need be of the class itself
     * @param fields what it reads or writes, likewise
     */
    public static List<String> differences(
            byte[] stock,
            byte[] other,
            Collection<TypeShape> nest,
            Set<Member> methods,
            Set<Member> fields) {
        ClassComparison comparison =
                new ClassComparison(ClassForm.of(stock), ClassForm.of(other), nest, methods);
        comparison.fields.addAll(fields);
        comparison.compare();
        return comparison.differences;
    }

    private void compare() {
        compareShape();
        called.forEach(this::reach);
        compareOpen();
        Set<Member> shared = new TreeSet<>(fields);
        shared.removeIf(this::isMadeByCompiler);
        fields.add(SERIAL_VERSION);
        stock.methods().keySet().stream()
                .filter(method -> method.name().equals("<init>"))
                .forEach(this::reach);
        touching.putAll(stock.touching(shared));
        touching.putAll(other.touching(shared));
        touching.keySet().removeAll(seen);
        touching.keySet().forEach(this::reach);
        compareOpen();
        if (fields.stream().anyMatch(this::isInitialised)) {
            reach(INITIALISER);
            compareOpen();
        }
        fields.forEach(this::compareField);
        compareNest(shared);
    }

    private void compareOpen() {
        while (!open.isEmpty()) {
            compareMethod(open.poll());
        }
    }

    private void reach(Member method) {
        if (seen.add(method)) {
            open.add(method);
        }
    }

    /** As {@code $assertionsDisabled}: no code of its own gives it another value. */
    private boolean isMadeByCompiler(Member field) {
        return (stock.shape().fields().getOrDefault(field, 0) & Opcodes.ACC_SYNTHETIC) != 0;
    }

    /** What constructors alone set, which are compared: whoever else reads it sees what it saw. */
    private boolean isFinal(Member field) {
        return (other.shape().fields().getOrDefault(field, 0) & Opcodes.ACC_FINAL) != 0;
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
        String named = named(field);
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
        String named = Words.ofSignature(method.name(), method.descriptor());
        if (expected != null && found != null) {
            Member field = touching.get(method);
            String why = field == null ? "" : "; it " + touches(field);
            compareBodies(named, expected, found, why);
        } else if (found == null) {
            differ(named + " is missing");
        } else if (touching.containsKey(method)) {
            differ(named + " is in this build alone and " + touches(touching.get(method)));
        } else {
            differ(named + " is there, expected it inherited");
        }
    }

    /** In a class file for Java 8 by methods of the compiler, in others directly. */
    private void compareNest(Set<Member> shared) {
        Map<Member, Member> opened = stock.openedToNest(shared);
        Set<List<String>> known = new HashSet<>();
        opened.keySet().forEach(method -> known.add(stock.methods().get(method).instructions()));
        other.openedToNest(shared)
                .forEach(
                        (method, field) -> {
                            if (!known.contains(other.methods().get(method).instructions())) {
                                differ(
                                        "a class within or around it "
                                                + touches(field)
                                                + ", through "
                                                + Words.ofSignature(
                                                        method.name(), method.descriptor()));
                            }
                        });
        for (TypeShape mate : nest) {
            for (Reference link : mate.links()) {
                if (link.field()
                        && link.owner().equals(other.shape().name())
                        && shared.contains(link.member())
                        && !isFinal(link.member())
                        && !opened.containsValue(link.member())) {
                    differ(mate.name().replace('/', '.') + " " + touches(link.member()));
                }
            }
        }
    }

    private static String touches(Member field) {
        return "touches "
                + named(field)
                + ", which our code reads or sets at other moments than stock's";
    }

    private static String named(Member field) {
        return "field " + Words.ofType(field.descriptor()) + " " + field.name();
    }

    private void compareBodies(String named, MethodForm expected, MethodForm found, String why) {
        compareFlags(named, METHOD_FLAGS, expected.access(), found.access());
        fields.addAll(expected.fields());
        fields.addAll(found.fields());
        expected.calls().forEach(this::reach);
        found.calls().forEach(this::reach);
        List<String> wanted = withoutCasts(expected);
        List<String> had = withoutCasts(found);
        for (int index = 0; index < Math.max(wanted.size(), had.size()); index++) {
            String should = index < wanted.size() ? wanted.get(index) : "the end";
            String is = index < had.size() ? had.get(index) : "the end";
            if (!should.equals(is)) {
                differ(
                        String.format(
                                "%s, instruction %d is `%s`, expected `%s`%s",
                                named, numbered(wanted, index), is, should, why));
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
                        other.methods().get(theirs),
                        why);
            }
        }
    }

    /**
     * Compilers write some casts twice or leave them out, as javac 8 and 17 do for arrays of
     * generic types. A cast does nothing but fail, and only where an object is not what the types
     * around it say.
     */
    private static List<String> withoutCasts(MethodForm method) {
        return method.instructions().stream()
                .filter(line -> !line.startsWith("checkcast "))
                .collect(Collectors.toList());
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
