// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ARETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ATHROW;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.DUP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.GETFIELD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_1;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IRETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.NEW;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.PUTFIELD;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.flink.boost.records.ColumnAccess;
import org.apache.flink.boost.records.shapes.ColumnShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;
import org.apache.flink.types.NullFieldException;

/** The access to tuples of one of Flink's own classes. */
final class TupleCode {

    private static final int SOURCE = 1;
    private static final int TARGET = 2;
    private static final int VALUE = 3;
    private static final int COLUMN = 4;

    private final Class<?> type;
    private final List<ColumnShape> columns;
    private final AccessClass access;

    private TupleCode(Class<?> type, List<ColumnShape> columns) {
        this.type = type;
        this.columns = columns;
        String self = Type.getInternalName(ColumnAccess.class) + "$" + type.getSimpleName();
        this.access = new AccessClass(self, ColumnAccess.class);
    }

    /**
     * The class file; its class is to be a nestmate of {@link ColumnAccess}.
     *
     * @param type {@code Tuple1} to {@code Tuple25}
     */
    static byte[] generate(Class<?> type, List<ColumnShape> columns) {
        return new TupleCode(type, columns).generate();
    }

    private byte[] generate() {
        access.constructor(columns.stream().map(ColumnShape::index).collect(Collectors.toList()));
        access.method("copy", Emitter.COPY, this::copy);
        access.method("serialize", Emitter.SERIALIZE, this::serialize);
        access.method("deserialize", Emitter.DESERIALIZE, this::deserialize);
        return access.bytes();
    }

    private void copy(Emitter code) {
        Label stock = new Label();
        code.requireClass(type, stock);
        create(code);
        access.groups(
                code,
                "copy",
                each(
                        (inner, column) -> {
                            load(inner, column);
                            ColumnCode.copy(inner, column, VALUE);
                            inner.load(TARGET);
                            inner.load(VALUE);
                            store(inner, column);
                        }),
                type,
                type);
        code.load(TARGET);
        code.insn(ARETURN);
        code.mark(stock);
        code.handOver();
        code.insn(ARETURN);
    }

    private void serialize(Emitter code) {
        Label stock = new Label();
        code.requireClass(type, stock);
        access.groups(
                code,
                "serialize",
                new AccessClass.Each<>(columns, ColumnCode::size, this::serializeSome),
                type,
                DataOutputView.class);
        code.insn(ICONST_1);
        code.insn(IRETURN);
        code.mark(stock);
        code.insn(ICONST_0);
        code.insn(IRETURN);
    }

    /** A null that a serializer stumbles over is named by its column. */
    private void serializeSome(Emitter code, List<ColumnShape> some) {
        int out = TARGET;
        Label before = new Label();
        Label behind = new Label();
        Label failed = new Label();
        Label done = new Label();
        code.insn(ICONST_0);
        code.store(int.class, COLUMN);
        code.handler(before, behind, failed, NullPointerException.class);
        code.mark(before);
        for (ColumnShape column : some) {
            code.constant(column.index());
            code.store(int.class, COLUMN);
            load(code, column);
            ColumnCode.serialize(code, column, out, VALUE);
        }
        code.mark(behind);
        code.go(done);
        code.mark(failed);
        code.store(VALUE);
        code.load(int.class, COLUMN);
        code.load(VALUE);
        code.cast(NullPointerException.class);
        code.staticHelp(
                ColumnAccess.class,
                "nullField",
                NullFieldException.class,
                int.class,
                NullPointerException.class);
        code.insn(ATHROW);
        code.mark(done);
    }

    private void deserialize(Emitter code) {
        create(code);
        access.groups(
                code,
                "deserialize",
                each(
                        (inner, column) -> {
                            inner.load(TARGET);
                            ColumnCode.deserialize(inner, column, SOURCE);
                            store(inner, column);
                        }),
                DataInputView.class,
                type);
        code.load(TARGET);
        code.insn(ARETURN);
    }

    private void create(Emitter code) {
        code.type(NEW, type);
        code.insn(DUP);
        code.construct(type);
        code.store(TARGET);
    }

    private void load(Emitter code, ColumnShape column) {
        code.load(SOURCE);
        code.field(GETFIELD, type, "f" + column.index(), Object.class);
        code.store(VALUE);
    }

    private void store(Emitter code, ColumnShape column) {
        code.field(PUTFIELD, type, "f" + column.index(), Object.class);
    }

    private AccessClass.Each<ColumnShape> each(BiConsumer<Emitter, ColumnShape> column) {
        BiConsumer<Emitter, List<ColumnShape>> all =
                (code, some) -> some.forEach(each -> column.accept(code, each));
        return new AccessClass.Each<>(columns, ColumnCode::size, all);
    }
}
