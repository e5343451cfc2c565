// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_1;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFEQ;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;

import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;

/** Code that takes one value out of a record or out of bytes, the same for all kinds of records. */
final class ValueCode {

    /** The record that is copied or written, and the view that is read. */
    static final int SOURCE = 1;

    private ValueCode() {}

    /** Loads the field's value as an object. */
    private static void loadBoxed(Emitter code, FieldShape field) {
        code.load(SOURCE);
        code.getField(field);
        if (field.isPrimitive()) {
            code.box(FieldKind.ofPrimitive(field.type()));
        }
    }

    /** Puts the copy of a value that its serializer copies into {@code slot}, as an object. */
    static void copy(Emitter code, FieldShape field, int slot) {
        loadBoxed(code, field);
        code.store(slot);
        Label none = new Label();
        if (!field.isPrimitive()) {
            code.load(slot);
            code.jump(IFNULL, none);
        }
        code.serializer(field.index());
        code.load(slot);
        code.serializer("copy", Object.class, Object.class);
        code.store(slot);
        code.mark(none);
    }

    /** Writes null flag and value; {@code slot} is free for use. */
    static void serialize(Emitter code, FieldShape field, int out, int slot) {
        if (field.isPrimitive() && field.kind() != FieldKind.OTHER) {
            code.writeFlag(out, ICONST_0);
            code.load(out);
            code.load(SOURCE);
            code.getField(field);
            code.write(field.kind());
            return;
        }
        loadBoxed(code, field);
        code.store(field.kind() == FieldKind.OTHER ? Object.class : field.type(), slot);
        Label none = new Label();
        Label done = new Label();
        if (!field.isPrimitive()) {
            code.load(slot);
            code.jump(IFNULL, none);
        }
        code.writeFlag(out, ICONST_0);
        writeObject(code, field, out, slot);
        if (!field.isPrimitive()) {
            code.go(done);
            code.mark(none);
            code.writeFlag(out, ICONST_1);
            code.mark(done);
        }
    }

    private static void writeObject(Emitter code, FieldShape field, int out, int slot) {
        switch (field.kind()) {
            case OTHER:
                code.serializer(field.index());
                code.load(slot);
                code.load(out);
                code.serializer("serialize", void.class, Object.class, DataOutputView.class);
                return;
            case STRING:
                code.load(slot);
                code.load(out);
                code.writeString();
                return;
            default:
                code.load(out);
                code.load(slot);
                code.unbox(field.kind());
                code.write(field.kind());
        }
    }

    /** Loads the value of a kind that needs no serializer, behind its null flag. */
    static void read(Emitter code, FieldShape field) {
        code.read(field.kind(), SOURCE);
        if (!field.isPrimitive() && field.kind() != FieldKind.STRING) {
            code.box(field.kind());
        }
    }

    /** Reads null flag and value by its serializer into {@code slot}, as an object. */
    static void deserialize(Emitter code, FieldShape field, int slot) {
        Label none = new Label();
        Label done = new Label();
        code.readFlag(SOURCE);
        code.jump(IFNE, none);
        code.serializer(field.index());
        code.load(SOURCE);
        code.serializer("deserialize", Object.class, DataInputView.class);
        code.store(slot);
        code.go(done);
        code.mark(none);
        code.insn(ACONST_NULL);
        code.store(slot);
        code.mark(done);
    }

    /** Jumps to {@code refused} when the object in {@code slot} is none that the field takes. */
    static void require(Emitter code, FieldShape field, int slot, Label refused) {
        Class<?> taken = taken(field);
        if (taken == Object.class) {
            return;
        }
        Label fits = new Label();
        if (!field.isPrimitive()) {
            code.load(slot);
            code.jump(IFNULL, fits);
        }
        code.load(slot);
        code.isInstance(taken);
        code.jump(IFEQ, refused);
        code.mark(fits);
    }

    /** Loads the object in {@code slot}, which was required, as the field's type. */
    static void loadRequired(Emitter code, FieldShape field, int slot) {
        code.load(slot);
        code.cast(taken(field));
        if (field.isPrimitive()) {
            code.unbox(FieldKind.ofPrimitive(field.type()));
        }
    }

    /** The class of objects that the field takes as they are. */
    private static Class<?> taken(FieldShape field) {
        return field.isPrimitive() ? FieldKind.ofPrimitive(field.type()).box() : field.type();
    }
}
