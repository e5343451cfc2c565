// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IADD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFEQ;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IOR;

import java.util.List;
import java.util.function.BiConsumer;
import org.apache.flink.boost.records.FixedFields;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldRun;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;

/** Code that moves several fields of fixed width at once, by {@link FixedFields}. */
final class RunCode {

    private final int view;
    private final int array;
    private final int segment;
    private final int at;

    /**
     * @param view the variable of the input or output
     * @param free the first of three variables that are free for use
     */
    RunCode(int view, int free) {
        this.view = view;
        this.array = free;
        this.segment = free + 1;
        this.at = free + 2;
    }

    /** Writes the fields of the record in {@link ValueCode#SOURCE}, or goes on behind. */
    void serialize(Emitter code, FieldRun run, Label done) {
        Label slowly = new Label();
        find(code, "room", byte[].class, DataOutputView.class, run.bytes());
        code.store(array);
        code.load(array);
        code.jump(IFNULL, slowly);
        find(code, "advance", int.class, DataOutputView.class, run.bytes());
        code.store(int.class, at);
        int offset = 0;
        for (FieldShape field : run.fields()) {
            code.load(array);
            index(code, offset);
            code.load(ValueCode.SOURCE);
            code.getField(field);
            Class<?> type = field.type();
            call(code, field.kind().writer(), void.class, byte[].class, int.class, type);
            offset += 1 + field.kind().bytes();
        }
        code.go(done);
        code.mark(slowly);
    }

    /**
     * Reads the fields, or goes on behind with nothing read.
     *
     * @param take stores the value that {@code load} puts on the stack
     */
    void deserialize(
            Emitter code, FieldRun run, BiConsumer<FieldShape, Runnable> take, Label done) {
        Label slowly = new Label();
        find(code, "segment", MemorySegment.class, DataInputView.class, run.bytes());
        code.store(segment);
        find(code, "array", byte[].class, DataInputView.class, run.bytes());
        code.store(array);
        code.load(array);
        code.load(segment);
        call(code, "isThere", boolean.class, byte[].class, MemorySegment.class);
        code.jump(IFEQ, slowly);
        code.load(view);
        call(code, "position", int.class, DataInputView.class);
        code.store(int.class, at);
        requireValues(code, run.fields(), slowly);
        int offset = 0;
        for (FieldShape field : run.fields()) {
            int index = offset;
            String reader = field.kind().reader();
            take.accept(field, () -> read(code, reader, field.type(), index));
            offset += 1 + field.kind().bytes();
        }
        code.load(view);
        index(code, offset);
        call(code, "position", void.class, DataInputView.class, int.class);
        code.go(done);
        code.mark(slowly);
    }

    private void requireValues(Emitter code, List<FieldShape> fields, Label slowly) {
        int offset = 0;
        for (FieldShape field : fields) {
            String flag = field.kind() == FieldKind.BOOLEAN ? "booleanFlag" : "flag";
            read(code, flag, int.class, offset);
            if (offset > 0) {
                code.insn(IOR);
            }
            offset += 1 + field.kind().bytes();
        }
        code.jump(IFNE, slowly);
    }

    private void find(Emitter code, String name, Class<?> result, Class<?> type, int bytes) {
        code.load(view);
        code.constant(bytes);
        call(code, name, result, type, int.class);
    }

    private void read(Emitter code, String name, Class<?> result, int offset) {
        code.load(array);
        code.load(segment);
        index(code, offset);
        call(code, name, result, byte[].class, MemorySegment.class, int.class);
    }

    private void index(Emitter code, int offset) {
        code.load(int.class, at);
        if (offset > 0) {
            code.constant(offset);
            code.insn(IADD);
        }
    }

    private static void call(Emitter code, String name, Class<?> result, Class<?>... parameters) {
        code.staticHelp(FixedFields.class, name, result, parameters);
    }
}
