// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.AALOAD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ARETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_1;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_2;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IF_ACMPNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IRETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.POP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.PUTFIELD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.RETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.V11;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.StockManner;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.MethodVisitor;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** Writes the {@code RecordAccess} of one shape of records. */
final class AccessGenerator {

    private static final String CONSTRUCTOR =
            Emitter.descriptor(
                    void.class,
                    Field[].class,
                    TypeSerializer[].class,
                    Constructor.class,
                    StockManner.class);

    /** Stock's flag of a record that is of the serializer's own class. */
    private static final int NO_SUBCLASS = ICONST_2;

    private final RecordShape shape;
    private final boolean initialises;
    private final String self;
    private final ClassWriter writer;

    private AccessGenerator(RecordShape shape, boolean initialises) {
        this.shape = shape;
        this.initialises = initialises && !shape.isRecord();
        this.self = Type.getInternalName(shape.type()) + "$FlinkBoostAccess";
        this.writer = new FrameWriter();
    }

    /**
     * The class file; its class is to be a nestmate of the record's.
     *
     * @param initialises whether stock sets the fields of a new object before it reads them
     */
    static byte[] generate(RecordShape shape, boolean initialises) {
        return new AccessGenerator(shape, initialises).generate();
    }

    private byte[] generate() {
        int flags = ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC;
        writer.visit(V11, flags, self, null, Emitter.ACCESS, null);
        constructor();
        copy();
        serialize();
        deserialize();
        if (shape.isRecord()) {
            RecordCode code = new RecordCode(shape);
            method(ACC_PRIVATE, RecordCode.REFUSED, code.refusedDescriptor(), code::refused);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }

    private void method(int access, String name, String descriptor, Consumer<Emitter> body) {
        String[] thrown = {"java/io/IOException"};
        MethodVisitor method =
                writer.visitMethod(access | ACC_FINAL, name, descriptor, null, thrown);
        Emitter code = new Emitter(method, self);
        body.accept(code);
        code.end();
    }

    /** Takes the serializers of fields that need one out of the array, each into a field. */
    private void constructor() {
        MethodVisitor method = writer.visitMethod(ACC_PUBLIC, "<init>", CONSTRUCTOR, null, null);
        Emitter code = new Emitter(method, self);
        for (int slot = 0; slot <= 4; slot++) {
            code.load(slot);
        }
        method.visitMethodInsn(INVOKESPECIAL, Emitter.ACCESS, "<init>", CONSTRUCTOR, false);
        String type = "L" + Emitter.SERIALIZER + ";";
        for (FieldShape field : shape.fields()) {
            if (field.kind() == FieldKind.OTHER) {
                String name = Emitter.serializerName(field);
                writer.visitField(ACC_PRIVATE | ACC_FINAL, name, type, null, null).visitEnd();
                code.load(0);
                code.load(2);
                code.constant(field.index());
                code.insn(AALOAD);
                method.visitFieldInsn(PUTFIELD, self, name, type);
            }
        }
        code.insn(RETURN);
        code.end();
    }

    private void copy() {
        method(
                ACC_PUBLIC,
                "copy",
                Emitter.descriptor(Object.class, Object.class),
                code -> {
                    Label stock = new Label();
                    requireOwnClass(code, stock);
                    code.load(ValueCode.SOURCE);
                    code.cast(shape.type());
                    code.store(ValueCode.SOURCE);
                    if (shape.isRecord()) {
                        new RecordCode(shape).copy(code);
                    } else {
                        Construction.of(shape, "failedCopy").emit(code, () -> {});
                        code.store(PojoCode.TARGET);
                        groups(code, "copy", shape.type(), shape.type(), PojoCode::copy);
                        code.load(PojoCode.TARGET);
                        code.insn(ARETURN);
                    }
                    code.mark(stock);
                    code.handOver();
                    code.insn(ARETURN);
                });
    }

    private void serialize() {
        int out = 2;
        method(
                ACC_PUBLIC,
                "serialize",
                Emitter.descriptor(boolean.class, Object.class, DataOutputView.class),
                code -> {
                    Label stock = new Label();
                    requireOwnClass(code, stock);
                    code.load(ValueCode.SOURCE);
                    code.cast(shape.type());
                    code.store(ValueCode.SOURCE);
                    code.load(out);
                    code.insn(NO_SUBCLASS);
                    code.output("writeByte", int.class);
                    groups(
                            code,
                            "serialize",
                            shape.type(),
                            DataOutputView.class,
                            (inner, field) -> ValueCode.serialize(inner, field, out, out + 1));
                    code.insn(ICONST_1);
                    code.insn(IRETURN);
                    code.mark(stock);
                    code.insn(ICONST_0);
                    code.insn(IRETURN);
                });
    }

    private void deserialize() {
        method(
                ACC_PUBLIC,
                "deserialize",
                Emitter.descriptor(Object.class, DataInputView.class),
                code -> {
                    code.load(ValueCode.SOURCE);
                    code.input("readByte", byte.class);
                    code.insn(POP);
                    if (shape.isRecord()) {
                        new RecordCode(shape).deserialize(code);
                        return;
                    }
                    Construction.of(shape, "failedRead").emit(code, () -> {});
                    code.store(PojoCode.TARGET);
                    if (initialises) {
                        code.load(0);
                        code.load(PojoCode.TARGET);
                        code.help("initialise", void.class, Object.class);
                    }
                    groups(
                            code,
                            "deserialize",
                            DataInputView.class,
                            shape.type(),
                            PojoCode::deserialize);
                    code.load(PojoCode.TARGET);
                    code.insn(ARETURN);
                });
    }

    /** Jumps to {@code stock} for null and for objects of a subclass. */
    private void requireOwnClass(Emitter code, Label stock) {
        code.load(ValueCode.SOURCE);
        code.jump(IFNULL, stock);
        code.load(ValueCode.SOURCE);
        code.getClassOf();
        code.constant(shape.type());
        code.jump(IF_ACMPNE, stock);
    }

    /** Emits each field's code, in methods of their own where the code is too much for one. */
    private void groups(
            Emitter code,
            String name,
            Class<?> first,
            Class<?> second,
            BiConsumer<Emitter, FieldShape> field) {
        List<List<FieldShape>> groups = FieldGroups.of(shape.fields());
        if (groups.size() == 1) {
            groups.get(0).forEach(each -> field.accept(code, each));
            return;
        }
        String descriptor = Emitter.descriptor(void.class, first, second);
        for (int i = 0; i < groups.size(); i++) {
            List<FieldShape> group = groups.get(i);
            String part = name + i;
            for (int slot = 0; slot <= 2; slot++) {
                code.load(slot);
            }
            code.own(part, descriptor);
            method(
                    ACC_PRIVATE,
                    part,
                    descriptor,
                    inner -> {
                        group.forEach(each -> field.accept(inner, each));
                        inner.insn(RETURN);
                    });
        }
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
