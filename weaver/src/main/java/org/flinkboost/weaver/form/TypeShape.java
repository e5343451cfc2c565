// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;

/**
 * What other classes can link to in a class file, and what it links to itself. Names are internal.
 */
public final class TypeShape {

    private final String name;
    private final int access;
    private final List<String> supertypes;
    private final Map<Member, Integer> fields;
    private final Map<Member, Integer> methods;
    private final Set<Reference> links;

    private TypeShape(
            String name,
            int access,
            List<String> supertypes,
            Map<Member, Integer> fields,
            Map<Member, Integer> methods,
            Set<Reference> links) {
        this.name = name;
        this.access = access;
        this.supertypes = supertypes;
        this.fields = fields;
        this.methods = methods;
        this.links = links;
    }

    public String name() {
        return name;
    }

    public int access() {
        return access;
    }

    /** The superclass, if any, and the interfaces. */
    public List<String> supertypes() {
        return supertypes;
    }

    /** Access flags by name and descriptor. */
    Map<Member, Integer> fields() {
        return fields;
    }

    /** Access flags by name and descriptor. */
    public Map<Member, Integer> methods() {
        return methods;
    }

    /** What its constant pool refers to. */
    public Set<Reference> links() {
        return links;
    }

    /** A field or method within its class. */
    public static final class Member implements Comparable<Member> {

        private final String name;
        private final String descriptor;

        public Member(String name, String descriptor) {
            this.name = name;
            this.descriptor = descriptor;
        }

        public String name() {
            return name;
        }

        public String descriptor() {
            return descriptor;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Member && compareTo((Member) other) == 0;
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, descriptor);
        }

        @Override
        public int compareTo(Member other) {
            int byName = name.compareTo(other.name);
            return byName != 0 ? byName : descriptor.compareTo(other.descriptor);
        }

        @Override
        public String toString() {
            return name + descriptor;
        }
    }

    /** A reference to a type, with {@code member} null, or to one of its members. */
    public static final class Reference implements Comparable<Reference> {

        private final String owner;
        private final Member member;
        private final boolean field;

        Reference(String owner, Member member, boolean field) {
            this.owner = owner;
            this.member = member;
            this.field = field;
        }

        public String owner() {
            return owner;
        }

        public Member member() {
            return member;
        }

        public boolean field() {
            return field;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Reference && compareTo((Reference) other) == 0;
        }

        @Override
        public int hashCode() {
            return Objects.hash(owner, member, field);
        }

        @Override
        public int compareTo(Reference other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return owner + " " + field + (member == null ? "" : " " + member);
        }
    }

    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;

    public static TypeShape of(byte[] classFile) {
        ClassReader reader = OpenedClassReader.of(classFile);
        Map<Member, Integer> fields = new TreeMap<>();
        Map<Member, Integer> methods = new TreeMap<>();
        reader.accept(
                new ClassVisitor(OpenedClassReader.ASM_API) {
                    @Override
                    public FieldVisitor visitField(
                            int access, String name, String descriptor, String s, Object value) {
                        fields.put(new Member(name, descriptor), access);
                        return null;
                    }

                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String s, String[] e) {
                        methods.put(new Member(name, descriptor), access);
                        return null;
                    }
                },
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        List<String> supertypes =
                reader.getSuperName() == null
                        ? List.of()
                        : Stream.concat(
                                        Stream.of(reader.getSuperName()),
                                        Arrays.stream(reader.getInterfaces()))
                                .collect(toUnmodifiableList());
        return new TypeShape(
                reader.getClassName(),
                reader.getAccess(),
                supertypes,
                fields,
                methods,
                references(reader));
    }

    public boolean isInterface() {
        return (access & Opcodes.ACC_INTERFACE) != 0;
    }

    /** The types that it names: in its references, and as types of members. */
    public Set<String> named() {
        Set<String> names = new TreeSet<>(supertypes);
        Stream.of(fields.keySet(), methods.keySet())
                .flatMap(Set::stream)
                .forEach(member -> addNamed(member.descriptor(), names));
        for (Reference link : links) {
            names.add(link.owner());
            if (link.member() != null) {
                addNamed(link.member().descriptor(), names);
            }
        }
        return names;
    }

    private static void addNamed(String descriptor, Set<String> names) {
        for (int end, start = descriptor.indexOf('L'); start >= 0; ) {
            end = descriptor.indexOf(';', start);
            names.add(descriptor.substring(start + 1, end));
            start = descriptor.indexOf('L', end);
        }
    }

    /** The fields or the methods. */
    public Map<Member, Integer> members(boolean field) {
        return field ? fields : methods;
    }

    private static Set<Reference> references(ClassReader reader) {
        char[] buffer = new char[reader.getMaxStringLength()];
        Set<Reference> found = new TreeSet<>();
        for (int item = 1; item < reader.getItemCount(); item++) {
            int offset = reader.getItem(item);
            // The second half of a long or double has no entry of its own.
            int tag = offset == 0 ? 0 : reader.readByte(offset - 1);
            if (tag == CLASS) {
                addType(found, reader.readUTF8(offset, buffer));
            } else if (tag == FIELD || tag == METHOD || tag == INTERFACE_METHOD) {
                String owner = reader.readClass(offset, buffer);
                addType(found, owner);
                int nameAndType = reader.getItem(reader.readUnsignedShort(offset + 2));
                Member member =
                        new Member(
                                reader.readUTF8(nameAndType, buffer),
                                reader.readUTF8(nameAndType + 2, buffer));
                // Arrays have the methods of Object.
                if (!owner.startsWith("[")) {
                    found.add(new Reference(owner, member, tag == FIELD));
                }
            }
        }
        return found;
    }

    private static void addType(Set<Reference> found, String name) {
        String element = name.substring(name.lastIndexOf('[') + 1);
        if (element.length() == name.length()) {
            found.add(new Reference(name, null, false));
        } else if (element.startsWith("L")) {
            found.add(new Reference(element.substring(1, element.length() - 1), null, false));
        }
    }
}
