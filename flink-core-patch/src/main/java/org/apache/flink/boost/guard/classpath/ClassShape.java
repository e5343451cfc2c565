// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What others can link to in a class, read from its class file: to load it would take other classes
 * along, before Flink is ready for them. Names are internal.
 */
final class ClassShape {

    private static final int MAGIC = 0xCAFEBABE;

    private final int access;
    private final List<String> supertypes;
    private final Map<String, Integer> fields;
    private final Map<String, Integer> methods;

    private ClassShape(
            int access,
            List<String> supertypes,
            Map<String, Integer> fields,
            Map<String, Integer> methods) {
        this.access = access;
        this.supertypes = Collections.unmodifiableList(supertypes);
        this.fields = fields;
        this.methods = methods;
    }

    /**
     * Reads a class file as far as its methods.
     *
     * @throws IOException when it is none
     */
    static ClassShape read(byte[] classFile) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        if (in.readInt() != MAGIC) {
            throw new IOException("not a class file");
        }
        in.readInt(); // version
        Object[] constants = constants(in);
        int access = in.readUnsignedShort();
        in.readUnsignedShort(); // this class
        List<String> supertypes = new ArrayList<>();
        int superclass = in.readUnsignedShort();
        if (superclass != 0) {
            supertypes.add(className(constants, superclass));
        }
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            supertypes.add(className(constants, in.readUnsignedShort()));
        }
        Map<String, Integer> fields = members(in, constants, " ");
        return new ClassShape(access, supertypes, fields, members(in, constants, ""));
    }

    int access() {
        return access;
    }

    boolean isInterface() {
        return Modifier.isInterface(access);
    }

    boolean isFinal() {
        return Modifier.isFinal(access);
    }

    /** The superclass, if any, and the interfaces. */
    List<String> supertypes() {
        return supertypes;
    }

    /** Of a class, which has a superclass. */
    List<String> interfaces() {
        return supertypes.subList(1, supertypes.size());
    }

    /** Access flags of the class's own fields by name, blank and descriptor. */
    Map<String, Integer> fields() {
        return fields;
    }

    /** Access flags of the class's own methods by name and descriptor. */
    Map<String, Integer> methods() {
        return methods;
    }

    static boolean isStatic(int memberAccess) {
        return Modifier.isStatic(memberAccess);
    }

    static boolean isAbstract(int memberAccess) {
        return Modifier.isAbstract(memberAccess);
    }

    /** Strings as such, classes as the number of their name, nothing else. */
    private static Object[] constants(DataInputStream in) throws IOException {
        Object[] constants = new Object[in.readUnsignedShort()];
        for (int i = 1; i < constants.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1: // Utf8
                    constants[i] = in.readUTF();
                    break;
                case 7: // Class
                    constants[i] = in.readUnsignedShort();
                    break;
                case 8: // String
                case 16: // MethodType
                case 19: // Module
                case 20: // Package
                    skip(in, 2);
                    break;
                case 15: // MethodHandle
                    skip(in, 3);
                    break;
                case 5: // Long
                case 6: // Double, which take two numbers
                    skip(in, 8);
                    i++;
                    break;
                case 3: // Integer
                case 4: // Float
                case 9: // Fieldref
                case 10: // Methodref
                case 11: // InterfaceMethodref
                case 12: // NameAndType
                case 17: // Dynamic
                case 18: // InvokeDynamic
                    skip(in, 4);
                    break;
                default:
                    throw new IOException("constant of unknown kind " + tag);
            }
        }
        return constants;
    }

    private static Map<String, Integer> members(
            DataInputStream in, Object[] constants, String separator) throws IOException {
        Map<String, Integer> members = new HashMap<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int access = in.readUnsignedShort();
            String name = text(constants, in.readUnsignedShort());
            members.put(name + separator + text(constants, in.readUnsignedShort()), access);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                skip(in, 2);
                skip(in, in.readInt());
            }
        }
        return members;
    }

    private static String className(Object[] constants, int index) throws IOException {
        if (index < constants.length && constants[index] instanceof Integer) {
            return text(constants, (Integer) constants[index]);
        }
        throw new IOException("no class at " + index);
    }

    private static String text(Object[] constants, int index) throws IOException {
        if (index < constants.length && constants[index] instanceof String) {
            return (String) constants[index];
        }
        throw new IOException("no name at " + index);
    }

    private static void skip(DataInputStream in, int bytes) throws IOException {
        if (bytes < 0 || in.skipBytes(bytes) != bytes) {
            throw new IOException("the class file ends early");
        }
    }
}
