// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ALOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ASTORE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ATHROW;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.CHECKCAST;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.DUP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.GETFIELD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.GETSTATIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.GOTO;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.H_INVOKESTATIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IF_ACMPNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ILOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INSTANCEOF;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKEINTERFACE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IRETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ISTORE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.NEW;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.NOP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.PUTFIELD;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.FieldAccess;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ConstantDynamic;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Handle;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;
import org.apache.flink.types.StringValue;

/** Instructions of one method, by what they do; {@code this} is in the local variable 0. */
final class Emitter {

    static final Class<?> SERIALIZERS = TypeSerializer[].class;

    /** The descriptors of the three methods of an access. */
    static final String COPY = descriptor(Object.class, Object.class);

    static final String SERIALIZE = descriptor(boolean.class, Object.class, DataOutputView.class);
    static final String DESERIALIZE = descriptor(Object.class, DataInputView.class);
    static final String SERIALIZER = Type.getInternalName(TypeSerializer.class);

    private static final String ACCESS = Type.getInternalName(RecordAccess.class);
    private static final String INPUT = Type.getInternalName(DataInputView.class);
    private static final String OUTPUT = Type.getInternalName(DataOutputView.class);
    private static final String STRING_VALUE = Type.getInternalName(StringValue.class);

    private static final String HANDLE = "Ljava/lang/invoke/VarHandle;";

    /** {@code MethodHandles.classDataAt}, which Java has since 16. */
    private static final Handle CLASS_DATA_AT =
            new Handle(
                    H_INVOKESTATIC,
                    "java/lang/invoke/MethodHandles",
                    "classDataAt",
                    "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;I)"
                            + "Ljava/lang/Object;",
                    false);

    /** Free where a constructor has failed: the values are of no use any more. */
    private static final int THROWN = 2;

    private final MethodVisitor method;
    private final String self;

    /**
     * @param self internal name of the class that is written
     */
    Emitter(MethodVisitor method, String self) {
        this.method = method;
        this.self = self;
        method.visitCode();
    }

    void end() {
        method.visitMaxs(0, 0);
        method.visitEnd();
    }

    /** Behind a return: code that is never reached, so that the method is larger than that. */
    void pad(int bytes) {
        Label end = new Label();
        mark(end);
        for (int i = end.getOffset(); i <= bytes; i++) {
            insn(NOP);
        }
    }

    void insn(int opcode) {
        method.visitInsn(opcode);
    }

    void jump(int opcode, Label target) {
        method.visitJumpInsn(opcode, target);
    }

    void go(Label target) {
        jump(GOTO, target);
    }

    void mark(Label label) {
        method.visitLabel(label);
    }

    void load(int slot) {
        method.visitVarInsn(ALOAD, slot);
    }

    void store(int slot) {
        method.visitVarInsn(ASTORE, slot);
    }

    void load(Class<?> type, int slot) {
        method.visitVarInsn(Type.getType(type).getOpcode(ILOAD), slot);
    }

    void store(Class<?> type, int slot) {
        method.visitVarInsn(Type.getType(type).getOpcode(ISTORE), slot);
    }

    void constant(Number value) {
        method.visitLdcInsn(value);
    }

    void type(int opcode, Class<?> type) {
        method.visitTypeInsn(opcode, Type.getInternalName(type));
    }

    void cast(Class<?> type) {
        if (type != Object.class) {
            type(CHECKCAST, type);
        }
    }

    void isInstance(Class<?> type) {
        type(INSTANCEOF, type);
    }

    void getField(FieldShape field) {
        if (field.isByHandle()) {
            ownStatic(getter(field), getterDescriptor(field));
            return;
        }
        field(GETFIELD, field.owner(), field.name(), field.type());
    }

    void putField(FieldShape field) {
        if (field.isByHandle()) {
            ownStatic(setter(field), setterDescriptor(field));
            return;
        }
        field(PUTFIELD, field.owner(), field.name(), field.type());
    }

    void field(int opcode, Class<?> owner, String name, Class<?> type) {
        method.visitFieldInsn(opcode, Type.getInternalName(owner), name, Type.getDescriptor(type));
    }

    /**
     * Jumps to {@code stock} when the object in the variable 1 is null or not of just this class;
     * otherwise leaves it there as one of the class.
     */
    void requireClass(Class<?> type, Label stock) {
        load(1);
        jump(IFNULL, stock);
        load(1);
        method.visitMethodInsn(
                INVOKEVIRTUAL, "java/lang/Object", "getClass", "()Ljava/lang/Class;", false);
        method.visitLdcInsn(Type.getType(type));
        jump(IF_ACMPNE, stock);
        load(1);
        cast(type);
        store(1);
    }

    /** Returns "stock's body is to run". */
    void handOver() {
        method.visitFieldInsn(GETSTATIC, ACCESS, "TO_STOCK", Type.getDescriptor(Object.class));
    }

    /** Calls a method that {@link FieldAccess} has for what is not usual. */
    void help(String name, Class<?> result, Class<?>... parameters) {
        call(FieldAccess.class, name, result, parameters);
    }

    void call(Class<?> owner, String name, Class<?> result, Class<?>... parameters) {
        String descriptor = descriptor(result, parameters);
        method.visitMethodInsn(INVOKEVIRTUAL, Type.getInternalName(owner), name, descriptor, false);
    }

    void staticHelp(Class<?> owner, String name, Class<?> result, Class<?>... parameters) {
        String descriptor = descriptor(result, parameters);
        method.visitMethodInsn(INVOKESTATIC, Type.getInternalName(owner), name, descriptor, false);
    }

    /** Calls a private method of the class itself, whose {@code this} and arguments are loaded. */
    void own(String name, String descriptor) {
        method.visitMethodInsn(INVOKESPECIAL, self, name, descriptor, false);
    }

    private void ownStatic(String name, String descriptor) {
        method.visitMethodInsn(INVOKESTATIC, self, name, descriptor, false);
    }

    /** The name of a static method of the class itself that gets a field by its handle. */
    static String getter(FieldShape field) {
        return "get" + field.index();
    }

    static String getterDescriptor(FieldShape field) {
        return descriptor(field.type(), field.record());
    }

    /** The same that sets it. */
    static String setter(FieldShape field) {
        return "set" + field.index();
    }

    static String setterDescriptor(FieldShape field) {
        return descriptor(void.class, field.record(), field.type());
    }

    /** Loads one of the handles that are the data of the class. */
    void handle(int index) {
        method.visitLdcInsn(new ConstantDynamic("_", HANDLE, CLASS_DATA_AT, index));
    }

    /** Calls the handle of a field, which is loaded with its arguments. */
    void callHandle(FieldShape field, String name, String descriptor) {
        String full = field.isVolatile() ? name + "Volatile" : name;
        method.visitMethodInsn(
                INVOKEVIRTUAL, "java/lang/invoke/VarHandle", full, descriptor, false);
    }

    void returns(Class<?> type) {
        insn(Type.getType(type).getOpcode(IRETURN));
    }

    void construct(Class<?> type, Class<?>... parameters) {
        String owner = Type.getInternalName(type);
        method.visitMethodInsn(
                INVOKESPECIAL, owner, "<init>", descriptor(void.class, parameters), false);
    }

    /**
     * Leaves a new record on the stack, or throws what stock makes of its constructor's exception.
     *
     * @param wrapper the method of {@code FieldAccess} that makes that
     * @param arguments loads those of the constructor
     */
    void construct(RecordShape shape, String wrapper, Runnable arguments) {
        Label before = new Label();
        Label behind = new Label();
        Label failed = new Label();
        Label made = new Label();
        handler(before, behind, failed, Throwable.class);
        // A class that cannot be initialised fails here, and stock does not wrap that.
        type(NEW, shape.type());
        insn(DUP);
        arguments.run();
        mark(before);
        construct(shape.type(), shape.constructor().getParameterTypes());
        mark(behind);
        go(made);
        mark(failed);
        store(THROWN);
        load(0);
        load(THROWN);
        help(wrapper, RuntimeException.class, Throwable.class);
        insn(ATHROW);
        mark(made);
    }

    /** Loads the serializer of a field or column. */
    void serializer(int index) {
        load(0);
        method.visitFieldInsn(GETFIELD, self, serializerName(index), "L" + SERIALIZER + ";");
    }

    static String serializerName(int index) {
        return "serializer" + index;
    }

    /** Calls a method of the serializer, which is loaded with its arguments. */
    void serializer(String name, Class<?> result, Class<?>... parameters) {
        String descriptor = descriptor(result, parameters);
        method.visitMethodInsn(INVOKEVIRTUAL, SERIALIZER, name, descriptor, false);
    }

    /** Reads the null flag of a field. */
    void readFlag(int in) {
        load(in);
        input("readBoolean", boolean.class);
    }

    /** Reads a value of a kind that needs no serializer: the primitive or the string. */
    void read(FieldKind kind, int in) {
        load(in);
        if (kind == FieldKind.STRING) {
            method.visitMethodInsn(
                    INVOKESTATIC,
                    STRING_VALUE,
                    "readString",
                    "(Ljava/io/DataInput;)Ljava/lang/String;",
                    false);
        } else {
            input(kind.reader(), kind.plain());
        }
    }

    void input(String name, Class<?> result) {
        method.visitMethodInsn(INVOKEINTERFACE, INPUT, name, descriptor(result), true);
    }

    /** Writes the null flag of a field. */
    void writeFlag(int out, int flag) {
        load(out);
        insn(flag);
        output("writeBoolean", boolean.class);
    }

    /** Writes a value of a kind that needs no serializer; view and value are loaded. */
    void write(FieldKind kind) {
        Class<?> type = kind.plain();
        // java.io.DataOutput takes the short ones as int.
        boolean small = type == byte.class || type == short.class || type == char.class;
        output(kind.writer(), small ? int.class : type);
    }

    void output(String name, Class<?> parameter) {
        String descriptor = descriptor(void.class, parameter);
        method.visitMethodInsn(INVOKEINTERFACE, OUTPUT, name, descriptor, true);
    }

    /** Writes a string; the string and the view are loaded. */
    void writeString() {
        method.visitMethodInsn(
                INVOKESTATIC,
                STRING_VALUE,
                "writeString",
                "(Ljava/lang/CharSequence;Ljava/io/DataOutput;)V",
                false);
    }

    void box(FieldKind kind) {
        String descriptor = descriptor(kind.box(), kind.plain());
        String owner = Type.getInternalName(kind.box());
        method.visitMethodInsn(INVOKESTATIC, owner, "valueOf", descriptor, false);
    }

    void unbox(FieldKind kind) {
        method.visitMethodInsn(
                INVOKEVIRTUAL,
                Type.getInternalName(kind.box()),
                kind.plain().getName() + "Value",
                descriptor(kind.plain()),
                false);
    }

    void handler(Label from, Label to, Label handler, Class<?> thrown) {
        method.visitTryCatchBlock(from, to, handler, Type.getInternalName(thrown));
    }

    static String descriptor(Class<?> result, Class<?>... parameters) {
        Type[] types = new Type[parameters.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = Type.getType(parameters[i]);
        }
        return Type.getMethodDescriptor(Type.getType(result), types);
    }
}
