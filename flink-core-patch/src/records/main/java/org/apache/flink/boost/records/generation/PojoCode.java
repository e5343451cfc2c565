// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNE;

import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;

/** Code that fills one field of a new POJO. */
final class PojoCode {

    /** The new object, behind {@code this} and the source. */
    static final int TARGET = 2;

    /** The first of the variables that are free for use. */
    static final int FREE = 3;

    private static final int VALUE = FREE;

    private PojoCode() {}

    /** Copies a field, from the record in {@link ValueCode#SOURCE}. */
    static void copy(Emitter code, FieldShape field) {
        if (field.kind() == FieldKind.OTHER) {
            ValueCode.copy(code, field, VALUE);
            put(code, field);
            return;
        }
        code.load(TARGET);
        code.load(ValueCode.SOURCE);
        code.getField(field);
        code.putField(field);
    }

    /** Reads a field, from the view in {@link ValueCode#SOURCE}. */
    static void deserialize(Emitter code, FieldShape field) {
        if (field.kind() == FieldKind.OTHER) {
            ValueCode.deserialize(code, field, VALUE);
            put(code, field);
            return;
        }
        Label none = new Label();
        Label done = new Label();
        code.readFlag(ValueCode.SOURCE);
        code.jump(IFNE, none);
        code.load(TARGET);
        ValueCode.read(code, field);
        code.putField(field);
        code.go(done);
        code.mark(none);
        if (field.isPrimitive()) {
            code.insn(ACONST_NULL);
            code.store(VALUE);
            set(code, field);
        } else {
            code.load(TARGET);
            code.insn(ACONST_NULL);
            code.putField(field);
        }
        code.mark(done);
    }

    /** Sets the field to the object in the variable, or lets reflection say why it cannot. */
    private static void put(Emitter code, FieldShape field) {
        Label refused = new Label();
        Label done = new Label();
        ValueCode.require(code, field, VALUE, refused);
        code.load(TARGET);
        ValueCode.loadRequired(code, field, VALUE);
        code.putField(field);
        if (field.mayBeRefused()) {
            code.go(done);
            code.mark(refused);
            set(code, field);
            code.mark(done);
        }
    }

    private static void set(Emitter code, FieldShape field) {
        code.load(0);
        code.constant(field.index());
        code.load(TARGET);
        code.load(VALUE);
        code.help("set", void.class, int.class, Object.class, Object.class);
    }
}
