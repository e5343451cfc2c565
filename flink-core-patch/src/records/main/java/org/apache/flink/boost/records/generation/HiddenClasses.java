// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes;

/**
 * Defines hidden nestmates of other people's classes. They die with their last object, or with the
 * class loader. Those with data are in Java since 16, without which the guard has these records
 * off; ours are compiled for 11, so they are reached by reflection.
 */
final class HiddenClasses {

    private static final Method DEFINE = defineHiddenClass();

    /**
     * In the package of the class: only a look-up from its own module may define hidden classes.
     */
    private static final String HELPER = "FlinkBoostLookup";

    private HiddenClasses() {}

    /**
     * Defines a class that may touch what {@code host} may.
     *
     * @param bytes of a class in the host's package
     * @param data what the class loads by {@code MethodHandles.classDataAt}
     * @throws ReflectiveOperationException when the JVM does not let us
     */
    static Class<?> define(Class<?> host, byte[] bytes, List<?> data)
            throws ReflectiveOperationException {
        Lookup inModule = ownLookup(host);
        Lookup inHost = MethodHandles.privateLookupIn(host, inModule);
        Object options = Array.newInstance(DEFINE.getParameterTypes()[3].getComponentType(), 1);
        Array.set(options, 0, nestmate(options.getClass().getComponentType()));
        Lookup hidden = (Lookup) DEFINE.invoke(inHost, bytes, data, true, options);
        return hidden.lookupClass();
    }

    private static Lookup ownLookup(Class<?> host) throws ReflectiveOperationException {
        Lookup inHost = MethodHandles.privateLookupIn(host, MethodHandles.lookup());
        if (host.getModule() == HiddenClasses.class.getModule()) {
            return inHost;
        }
        String name =
                host.getPackageName().isEmpty() ? HELPER : host.getPackageName() + "." + HELPER;
        Class<?> helper;
        try {
            helper = inHost.defineClass(helper(name));
        } catch (LinkageError defined) {
            helper = Class.forName(name, true, host.getClassLoader());
        }
        Method lookup = helper.getDeclaredMethod("lookup");
        lookup.setAccessible(true);
        return (Lookup) lookup.invoke(null);
    }

    /** A class with one static method, which returns the class's own look-up. */
    private static byte[] helper(String name) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        int flags = Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
        writer.visit(Opcodes.V11, flags, name.replace('.', '/'), null, "java/lang/Object", null);
        String lookup = "()Ljava/lang/invoke/MethodHandles$Lookup;";
        MethodVisitor method =
                writer.visitMethod(
                        Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC, "lookup", lookup, null, null);
        method.visitCode();
        method.visitMethodInsn(
                Opcodes.INVOKESTATIC, "java/lang/invoke/MethodHandles", "lookup", lookup, false);
        method.visitInsn(Opcodes.ARETURN);
        method.visitMaxs(0, 0);
        method.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static Object nestmate(Class<?> option) {
        for (Object constant : option.getEnumConstants()) {
            if (constant.toString().equals("NESTMATE")) {
                return constant;
            }
        }
        throw new IllegalStateException("There are hidden classes, and no nestmates among them.");
    }

    private static Method defineHiddenClass() {
        for (Method method : Lookup.class.getMethods()) {
            if (method.getName().equals("defineHiddenClassWithClassData")) {
                return method;
            }
        }
        throw new IllegalStateException("This Java has no hidden classes with data.");
    }
}
