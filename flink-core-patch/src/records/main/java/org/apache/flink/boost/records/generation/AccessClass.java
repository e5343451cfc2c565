// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.AALOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.PUTFIELD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.RETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.V11;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** The class file of one access, while it is being written. */
final class AccessClass {

    /**
     * Bytes of code in a method that others call, without its frame. HotSpot inlines no hot method
     * above 325, and compiles none above 8,000.
     */
    private static final int MOST_BYTES = 270;

    private static final String SERIALIZER = "L" + Emitter.SERIALIZER + ";";

    /** HotSpot's {@code FreqInlineSize}: bytes of code of a hot method that is inlined. */
    private static final int INLINED_UP_TO = 325;

    private final String self;
    private final Class<?> parent;
    private final ClassWriter writer = new FrameWriter();

    /**
     * @param self internal name, in the package of the class that it is to be a nestmate of
     * @param parent with one constructor
     */
    AccessClass(String self, Class<?> parent) {
        this.self = self;
        this.parent = parent;
        int flags = ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC;
        writer.visit(V11, flags, self, null, Type.getInternalName(parent), null);
    }

    byte[] bytes() {
        writer.visitEnd();
        return writer.toByteArray();
    }

    /**
     * The constructor: it takes all serializers and what the parent's takes, and keeps each
     * serializer of {@code kept} in a field of its own.
     */
    void constructor(List<Integer> kept) {
        Class<?>[] parents = parent.getDeclaredConstructors()[0].getParameterTypes();
        Class<?>[] all = new Class<?>[parents.length + 1];
        all[0] = Emitter.SERIALIZERS;
        System.arraycopy(parents, 0, all, 1, parents.length);
        String descriptor = Emitter.descriptor(void.class, all);
        MethodVisitor method = writer.visitMethod(ACC_PUBLIC, "<init>", descriptor, null, null);
        Emitter code = new Emitter(method, self);
        code.load(0);
        for (int i = 0; i < parents.length; i++) {
            code.load(2 + i);
        }
        String owner = Type.getInternalName(parent);
        String before = Emitter.descriptor(void.class, parents);
        method.visitMethodInsn(INVOKESPECIAL, owner, "<init>", before, false);
        for (int index : kept) {
            String name = Emitter.serializerName(index);
            writer.visitField(ACC_PRIVATE | ACC_FINAL, name, SERIALIZER, null, null).visitEnd();
            code.load(0);
            code.load(1);
            code.constant(index);
            code.insn(AALOAD);
            method.visitFieldInsn(PUTFIELD, self, name, SERIALIZER);
        }
        code.insn(RETURN);
        code.end();
    }

    /**
     * A method that others call. It is too large to be inlined: so it is compiled once, and not
     * again with all that hangs on it in each serializer of arrays or lists and in each task, for
     * which HotSpot takes seconds.
     */
    void method(String name, String descriptor, Consumer<Emitter> body) {
        method(
                ACC_PUBLIC,
                name,
                descriptor,
                code -> {
                    body.accept(code);
                    code.pad(INLINED_UP_TO);
                });
    }

    /**
     * Methods that get and set a field by its handle.
     *
     * @param index of the handle in the data of the class
     */
    void handle(FieldShape field, int index) {
        String getter = Emitter.getterDescriptor(field);
        method(
                ACC_PRIVATE | ACC_STATIC,
                Emitter.getter(field),
                getter,
                code -> {
                    code.handle(index);
                    code.load(0);
                    code.callHandle(field, "get", getter);
                    code.returns(field.type());
                });
        String setter = Emitter.setterDescriptor(field);
        method(
                ACC_PRIVATE | ACC_STATIC,
                Emitter.setter(field),
                setter,
                code -> {
                    code.handle(index);
                    code.load(0);
                    code.load(field.type(), 1);
                    code.callHandle(field, "set", setter);
                    code.insn(RETURN);
                });
    }

    /** A method of its own. */
    void part(String name, String descriptor, Consumer<Emitter> body) {
        method(ACC_PRIVATE, name, descriptor, body);
    }

    private void method(int access, String name, String descriptor, Consumer<Emitter> body) {
        String[] thrown = {"java/io/IOException"};
        MethodVisitor method =
                writer.visitMethod(access | ACC_FINAL, name, descriptor, null, thrown);
        Emitter code = new Emitter(method, self);
        body.accept(code);
        code.end();
    }

    /** What is emitted for each of several fields. */
    static final class Each<T> {

        private final List<T> all;
        private final ToIntFunction<T> size;
        private final BiConsumer<Emitter, List<T>> body;

        /**
         * @param size bytes of code that a field takes at most
         * @param body emits some fields; it works on the variables of {@link AccessClass#groups}
         */
        Each(List<T> all, ToIntFunction<T> size, BiConsumer<Emitter, List<T>> body) {
            this.all = all;
            this.size = size;
            this.body = body;
        }

        private List<List<T>> groups() {
            List<List<T>> groups = new ArrayList<>();
            List<T> group = new ArrayList<>();
            int bytes = 0;
            for (T field : all) {
                int more = size.applyAsInt(field);
                if (bytes + more > MOST_BYTES && !group.isEmpty()) {
                    groups.add(group);
                    group = new ArrayList<>();
                    bytes = 0;
                }
                group.add(field);
                bytes += more;
            }
            groups.add(group);
            return groups;
        }
    }

    /**
     * Emits each field's code, in methods of their own where it is too much for one.
     *
     * @param variables types of the local variables 1, 2, …, which the code may read
     */
    <T> void groups(Emitter code, String name, Each<T> fields, Class<?>... variables) {
        List<List<T>> groups = fields.groups();
        if (groups.size() == 1) {
            fields.body.accept(code, groups.get(0));
            return;
        }
        for (int i = 0; i < groups.size(); i++) {
            List<T> group = groups.get(i);
            call(code, name + i, inner -> fields.body.accept(inner, group), variables);
        }
    }

    /**
     * Emits code in a method of its own, and a call of it.
     *
     * @param variables types of the local variables 1, 2, …, which the code may read
     */
    void call(Emitter code, String name, Consumer<Emitter> body, Class<?>... variables) {
        String descriptor = Emitter.descriptor(void.class, variables);
        code.load(0);
        int slot = 1;
        for (Class<?> variable : variables) {
            code.load(variable, slot);
            slot += Type.getType(variable).getSize();
        }
        code.own(name, descriptor);
        part(name, descriptor, body.andThen(inner -> inner.insn(RETURN)));
    }

    /** Never loads a class to find a common superclass: no two types meet but to be an object. */
    private static final class FrameWriter extends ClassWriter {

        FrameWriter() {
            super(COMPUTE_FRAMES);
        }

        @Override
        protected String getCommonSuperClass(String first, String second) {
            return "java/lang/Object";
        }
    }
}
