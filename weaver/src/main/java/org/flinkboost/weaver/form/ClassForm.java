// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.form.TypeShape.Member;

/** A class file as far as it can matter: no debug information, no order, no frames. */
public final class ClassForm {

    private final TypeShape shape;
    private final Map<Member, Object> constants = new TreeMap<>();
    private final Map<Member, MethodForm> methods = new TreeMap<>();

    private ClassForm(TypeShape shape) {
        this.shape = shape;
    }

    static ClassForm of(byte[] classFile) {
        ClassForm form = new ClassForm(TypeShape.of(classFile));
        OpenedClassReader.of(classFile)
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API) {
                            @Override
                            public FieldVisitor visitField(
                                    int access, String name, String type, String s, Object value) {
                                if (value != null) {
                                    form.constants.put(new Member(name, type), value);
                                }
                                return null;
                            }

                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String type, String s, String[] e) {
                                MethodForm method = new MethodForm(form.shape, access);
                                form.methods.put(new Member(name, type), method);
                                return method;
                            }
                        },
                        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return form;
    }

    /** Whether that is a class file; what ASM says of other bytes is up to the bytes. */
    public static boolean isReadable(byte[] content) {
        try {
            of(content);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Its name, supertypes and members. */
    TypeShape shape() {
        return shape;
    }

    /** The values of constants, as the class file holds them. */
    Map<Member, Object> constants() {
        return constants;
    }

    Map<Member, MethodForm> methods() {
        return methods;
    }

    /**
     * The methods that touch one of these fields, each with one that it touches: by itself, or in
     * what the compiler made of it.
     */
    Map<Member, Member> touching(Set<Member> fields) {
        Map<Member, Member> found = new TreeMap<>();
        methods.forEach(
                (name, method) -> {
                    if (!isMadeByCompiler(method)) {
                        Set<Member> touched = new TreeSet<>();
                        collect(name, new HashSet<>(), touched);
                        first(fields, touched).ifPresent(field -> found.put(name, field));
                    }
                });
        return found;
    }

    /**
     * The same of the methods that the compiler made for other classes of the nest, which a class
     * file for Java 8 needs.
     */
    Map<Member, Member> openedToNest(Set<Member> fields) {
        Set<Member> used = new HashSet<>();
        methods.values().forEach(method -> used.addAll(method.helpers()));
        Map<Member, Member> found = new TreeMap<>();
        methods.forEach(
                (name, method) -> {
                    if (isMadeByCompiler(method) && !used.contains(name)) {
                        first(fields, method.fields()).ifPresent(field -> found.put(name, field));
                    }
                });
        return found;
    }

    private void collect(Member name, Set<Member> seen, Set<Member> touched) {
        if (seen.add(name)) {
            MethodForm method = methods.get(name);
            touched.addAll(method.fields());
            method.helpers().forEach(helper -> collect(helper, seen, touched));
        }
    }

    private static boolean isMadeByCompiler(MethodForm method) {
        return (method.access() & Opcodes.ACC_SYNTHETIC) != 0
                && (method.access() & Opcodes.ACC_BRIDGE) == 0;
    }

    private static Optional<Member> first(Set<Member> fields, Set<Member> touched) {
        return touched.stream().filter(fields::contains).findFirst();
    }
}
