// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.AASTORE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ANEWARRAY;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ARETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.DCONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.DUP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.FCONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LCONST_0;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldRun;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** Code that makes a Java record: its components in local variables, then its constructor. */
final class RecordCode {

    /** The name of the method that makes a record of values that its components do not take. */
    static final String REFUSED = "refused";

    /** Behind {@code this} and the source: values that were refused, an object, the components. */
    private static final int REFUSALS = 2;

    private static final int VALUE = 3;
    private static final int FIRST = 4;

    /** All that reads a record is one method, and HotSpot compiles none above 8,000 bytes. */
    private static final int MOST_IN_RUNS = 64;

    private final RecordShape shape;
    private final Map<FieldShape, Integer> slots = new HashMap<>();
    private final int free;

    RecordCode(RecordShape shape) {
        this.shape = shape;
        int next = FIRST;
        for (FieldShape component : shape.components()) {
            slots.put(component, next);
            next += component.slots();
        }
        this.free = next;
    }

    /** Copies the record in {@link ValueCode#SOURCE} and returns the copy. */
    void copy(Emitter code) {
        begin(code);
        boolean refusable = false;
        for (FieldShape field : shape.fields()) {
            if (field.kind() == FieldKind.OTHER) {
                ValueCode.copy(code, field, VALUE);
                take(code, field);
                refusable |= field.mayBeRefused();
            } else {
                code.load(ValueCode.SOURCE);
                code.getField(field);
                code.store(field.type(), slots.get(field));
            }
        }
        finish(code, refusable);
    }

    /**
     * Reads a record from the view in {@link ValueCode#SOURCE}, behind its flags, and returns it.
     */
    void deserialize(Emitter code) {
        begin(code);
        boolean refusable = false;
        for (FieldRun run : FieldRun.of(shape.fields())) {
            Label done = new Label();
            if (run.isFixed() && slots.size() <= MOST_IN_RUNS) {
                new RunCode(ValueCode.SOURCE, free)
                        .deserialize(
                                code,
                                run,
                                (field, load) -> {
                                    load.run();
                                    code.store(field.type(), slots.get(field));
                                },
                                done);
            }
            for (FieldShape field : run.fields()) {
                read(code, field);
                refusable |= field.mayBeRefused();
            }
            code.mark(done);
        }
        finish(code, refusable);
    }

    private void read(Emitter code, FieldShape field) {
        if (field.kind() == FieldKind.OTHER) {
            ValueCode.deserialize(code, field, VALUE);
            take(code, field);
        } else {
            readPlain(code, field);
        }
    }

    private static void begin(Emitter code) {
        code.insn(ACONST_NULL);
        code.store(REFUSALS);
    }

    private void readPlain(Emitter code, FieldShape field) {
        int slot = slots.get(field);
        Label none = new Label();
        Label done = new Label();
        code.readFlag(ValueCode.SOURCE);
        code.jump(IFNE, none);
        ValueCode.read(code, field);
        code.store(field.type(), slot);
        code.go(done);
        code.mark(none);
        if (field.isPrimitive()) {
            code.insn(ACONST_NULL);
            code.store(VALUE);
            refuse(code, field);
        }
        code.insn(nothing(field.type()));
        code.store(field.type(), slot);
        code.mark(done);
    }

    /** Keeps the object in the variable as a component, or notes that it is none. */
    private void take(Emitter code, FieldShape field) {
        int slot = slots.get(field);
        Label refused = new Label();
        Label done = new Label();
        ValueCode.require(code, field, VALUE, refused);
        ValueCode.loadRequired(code, field, VALUE);
        code.store(field.type(), slot);
        if (field.mayBeRefused()) {
            code.go(done);
            code.mark(refused);
            refuse(code, field);
            code.insn(nothing(field.type()));
            code.store(field.type(), slot);
            code.mark(done);
        }
    }

    private void refuse(Emitter code, FieldShape field) {
        code.load(0);
        code.load(REFUSALS);
        code.constant(shape.components().indexOf(field));
        code.load(VALUE);
        code.help("refuse", Object[].class, Object[].class, int.class, Object.class);
        code.store(REFUSALS);
    }

    private void finish(Emitter code, boolean refusable) {
        if (refusable) {
            Label all = new Label();
            code.load(REFUSALS);
            code.jump(IFNULL, all);
            code.load(0);
            code.load(REFUSALS);
            loadComponents(code);
            code.own(REFUSED, refusedDescriptor());
            code.insn(ARETURN);
            code.mark(all);
        }
        code.construct(shape, "failedRecord", () -> loadComponents(code));
        code.insn(ARETURN);
    }

    private void loadComponents(Emitter code) {
        for (FieldShape component : shape.components()) {
            code.load(component.type(), slots.get(component));
        }
    }

    String refusedDescriptor() {
        List<Type> parameters = new ArrayList<>();
        parameters.add(Type.getType(Object[].class));
        shape.components().forEach(each -> parameters.add(Type.getType(each.type())));
        return Type.getMethodDescriptor(
                Type.getType(Object.class), parameters.toArray(new Type[0]));
    }

    /** Boxes the components and lets reflection say why it cannot make a record of them. */
    void refused(Emitter code) {
        code.load(0);
        code.constant(shape.components().size());
        code.type(ANEWARRAY, Object.class);
        int slot = 2;
        int index = 0;
        for (FieldShape component : shape.components()) {
            code.insn(DUP);
            code.constant(index++);
            code.load(component.type(), slot);
            if (component.isPrimitive()) {
                code.box(FieldKind.ofPrimitive(component.type()));
            }
            code.insn(AASTORE);
            slot += component.slots();
        }
        code.load(1);
        code.help("instantiate", Object.class, Object[].class, Object[].class);
        code.insn(ARETURN);
    }

    private static int nothing(Class<?> type) {
        if (!type.isPrimitive()) {
            return ACONST_NULL;
        }
        if (type == long.class) {
            return LCONST_0;
        }
        if (type == double.class) {
            return DCONST_0;
        }
        return type == float.class ? FCONST_0 : ICONST_0;
    }
}
