// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFEQ;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNE;

import org.apache.flink.boost.records.shapes.ColumnShape;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;

/**
 * Code for one field of a tuple or row, an object in a local variable. Nothing says that it is what
 * the serializer takes: null and other objects go to the serializer, which knows what to throw.
 */
final class ColumnCode {

    private ColumnCode() {}

    /** Puts the copy of the object in the variable into it. */
    static void copy(Emitter code, ColumnShape column, int slot) {
        Label done = new Label();
        if (column.kind() != FieldKind.OTHER) {
            code.load(slot);
            code.isInstance(column.kind().box());
            code.jump(IFNE, done);
        }
        code.serializer(column.index());
        code.load(slot);
        code.serializer("copy", Object.class, Object.class);
        code.store(slot);
        code.mark(done);
    }

    /** Writes the object in the variable. */
    static void serialize(Emitter code, ColumnShape column, int out, int slot) {
        FieldKind kind = column.kind();
        Label other = new Label();
        Label done = new Label();
        if (kind != FieldKind.OTHER) {
            code.load(slot);
            code.isInstance(kind.box());
            code.jump(IFEQ, other);
            if (kind == FieldKind.STRING) {
                code.load(slot);
                code.cast(String.class);
                code.load(out);
                code.writeString();
            } else {
                code.load(out);
                code.load(slot);
                code.cast(kind.box());
                code.unbox(kind);
                code.write(kind);
            }
            code.go(done);
            code.mark(other);
        }
        code.serializer(column.index());
        code.load(slot);
        code.load(out);
        code.serializer("serialize", void.class, Object.class, DataOutputView.class);
        code.mark(done);
    }

    /** Loads an object that is read. */
    static void deserialize(Emitter code, ColumnShape column, int in) {
        FieldKind kind = column.kind();
        if (kind == FieldKind.OTHER) {
            code.serializer(column.index());
            code.load(in);
            code.serializer("deserialize", Object.class, DataInputView.class);
            return;
        }
        code.read(kind, in);
        if (kind != FieldKind.STRING) {
            code.box(kind);
        }
    }

    /** Bytes of code that a column takes at most, in whatever kind of record. */
    static int size(ColumnShape column) {
        return 66;
    }
}
