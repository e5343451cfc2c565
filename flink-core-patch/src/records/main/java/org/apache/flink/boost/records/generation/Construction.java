// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ATHROW;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.DUP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.NEW;

import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;

/** Code that makes an object, and wraps what its constructor throws as stock does. */
final class Construction {

    /** Free where the constructor has failed: the values are of no use any more. */
    private static final int THROWN = 2;

    private final RecordShape shape;
    private final String wrapper;

    private Construction(RecordShape shape, String wrapper) {
        this.shape = shape;
        this.wrapper = wrapper;
    }

    /**
     * @param wrapper the method of {@code FieldAccess} that makes stock's exception of one
     */
    static Construction of(RecordShape shape, String wrapper) {
        return new Construction(shape, wrapper);
    }

    /** Leaves the object on the stack. */
    void emit(Emitter code, Runnable arguments) {
        Label before = new Label();
        Label behind = new Label();
        Label failed = new Label();
        Label made = new Label();
        code.handler(before, behind, failed, Throwable.class);
        // A class that cannot be initialised fails here, and stock does not wrap that.
        code.type(NEW, shape.type());
        code.insn(DUP);
        arguments.run();
        code.mark(before);
        code.construct(shape.type(), shape.constructor().getParameterTypes());
        code.mark(behind);
        code.go(made);
        code.mark(failed);
        code.store(THROWN);
        code.load(0);
        code.load(THROWN);
        code.help(wrapper, RuntimeException.class, Throwable.class);
        code.insn(ATHROW);
        code.mark(made);
    }
}
