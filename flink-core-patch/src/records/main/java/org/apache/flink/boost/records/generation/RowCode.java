// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.AASTORE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ANEWARRAY;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ARETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.I2L;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IADD;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_1;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFEQ;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNONNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IFNULL;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IF_ICMPNE;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IOR;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IRETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LAND;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LCMP;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LCONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LOR;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.LSHL;

import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.boost.records.ColumnAccess;
import org.apache.flink.boost.records.RowAccess;
import org.apache.flink.boost.records.shapes.ColumnShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;
import org.apache.flink.types.Row;

/**
 * The access to rows whose fields have positions. In front of them stands a mask: the kind of the
 * row, where the serializer has one, then a bit for each field that is null, highest bit first.
 */
final class RowCode {

    private static final int SOURCE = 1;
    private static final int TARGET = 2;
    private static final int FREE = 3;
    private static final int MASK = 3;
    private static final int FREE_BEHIND_MASK = 5;

    private final List<ColumnShape> columns;
    private final int kindBits;
    private final AccessClass access;

    private RowCode(List<ColumnShape> columns, boolean hasKind) {
        this.columns = columns;
        this.kindBits = hasKind ? 2 : 0;
        String self = Type.getInternalName(ColumnAccess.class) + "$Row";
        this.access = new AccessClass(self, RowAccess.class);
    }

    /**
     * The class file; its class is to be a nestmate of {@link ColumnAccess}.
     *
     * @param columns so many that their bits fit into one variable
     * @param hasKind whether the mask begins with the kind of the row
     */
    static byte[] generate(List<ColumnShape> columns, boolean hasKind) {
        return new RowCode(columns, hasKind).generate();
    }

    private byte[] generate() {
        access.constructor(columns.stream().map(ColumnShape::index).collect(Collectors.toList()));
        access.method("copy", Emitter.COPY, this::copy);
        access.method("serialize", Emitter.SERIALIZE, this::serialize);
        access.method("deserialize", Emitter.DESERIALIZE, this::deserialize);
        return access.bytes();
    }

    /** Jumps to {@code stock} for what is no row of as many positions. */
    private void requirePositions(Emitter code, Label stock) {
        code.requireClass(Row.class, stock);
        code.load(SOURCE);
        code.insn(ICONST_0);
        code.call(Row.class, "getFieldNames", Set.class, boolean.class);
        code.jump(IFNONNULL, stock);
        code.load(SOURCE);
        code.call(Row.class, "getArity", int.class);
        code.constant(columns.size());
        code.jump(IF_ICMPNE, stock);
    }

    private static void load(Emitter code, ColumnShape column) {
        code.load(SOURCE);
        code.constant(column.index());
        code.call(Row.class, "getField", Object.class, int.class);
    }

    private void copy(Emitter code) {
        Label stock = new Label();
        requirePositions(code, stock);
        create(code);
        access.groups(code, "copy", each(RowCode::copyColumn), Row.class, Object[].class);
        code.load(0);
        code.load(SOURCE);
        code.load(TARGET);
        code.call(RowAccess.class, "copyOf", Row.class, Row.class, Object[].class);
        code.insn(ARETURN);
        code.mark(stock);
        code.handOver();
        code.insn(ARETURN);
    }

    private static void copyColumn(Emitter code, ColumnShape column) {
        Label none = new Label();
        load(code, column);
        code.store(FREE);
        code.load(FREE);
        code.jump(IFNULL, none);
        ColumnCode.copy(code, column, FREE);
        code.load(TARGET);
        code.constant(column.index());
        code.load(FREE);
        code.insn(AASTORE);
        code.mark(none);
    }

    private void serialize(Emitter code) {
        Label stock = new Label();
        requirePositions(code, stock);
        access.groups(code, "mask", masks(), Row.class, DataOutputView.class);
        access.groups(
                code, "serialize", each(RowCode::serializeColumn), Row.class, DataOutputView.class);
        code.insn(ICONST_1);
        code.insn(IRETURN);
        code.mark(stock);
        code.insn(ICONST_0);
        code.insn(IRETURN);
    }

    private static void serializeColumn(Emitter code, ColumnShape column) {
        Label none = new Label();
        load(code, column);
        code.store(FREE);
        code.load(FREE);
        code.jump(IFNULL, none);
        ColumnCode.serialize(code, column, TARGET, FREE);
        code.mark(none);
    }

    private int bytes() {
        return (kindBits + columns.size() + 7) / 8;
    }

    private AccessClass.Each<Integer> masks() {
        List<Integer> all = IntStream.range(0, bytes()).boxed().collect(Collectors.toList());
        return new AccessClass.Each<>(
                all, each -> 150, (code, some) -> some.forEach(each -> writeMask(code, each)));
    }

    private void writeMask(Emitter code, int number) {
        if (number == 0 && kindBits > 0) {
            code.load(SOURCE);
            code.staticHelp(RowAccess.class, "kindBits", int.class, Row.class);
        } else {
            code.insn(ICONST_0);
        }
        code.store(int.class, FREE);
        for (int bit = 0; bit < 8; bit++) {
            int index = number * 8 + bit - kindBits;
            if (index < 0 || index >= columns.size()) {
                continue;
            }
            Label none = new Label();
            load(code, columns.get(index));
            code.jump(IFNONNULL, none);
            code.load(int.class, FREE);
            code.constant(1 << 7 - bit);
            code.insn(IOR);
            code.store(int.class, FREE);
            code.mark(none);
        }
        code.load(TARGET);
        code.load(int.class, FREE);
        code.output("writeByte", int.class);
    }

    private void deserialize(Emitter code) {
        code.insn(LCONST_0);
        code.store(long.class, MASK);
        for (int i = 0; i < bytes(); i++) {
            code.load(long.class, MASK);
            code.constant(8);
            code.insn(LSHL);
            code.load(SOURCE);
            code.input("readUnsignedByte", int.class);
            code.insn(I2L);
            code.insn(LOR);
            code.store(long.class, MASK);
        }
        create(code);
        access.groups(
                code,
                "deserialize",
                each(this::deserializeColumn),
                DataInputView.class,
                Object[].class,
                long.class);
        code.load(0);
        kind(code);
        code.load(TARGET);
        code.call(RowAccess.class, "rowOf", Row.class, int.class, Object[].class);
        code.insn(ARETURN);
    }

    /** Loads the kind: its lower bit is the mask's first. */
    private void kind(Emitter code) {
        code.insn(ICONST_0);
        for (int bit = 0; bit < kindBits; bit++) {
            Label none = new Label();
            testMask(code, bit, none);
            code.constant(1 << bit);
            code.insn(IADD);
            code.mark(none);
        }
    }

    private void testMask(Emitter code, int bit, Label zero) {
        code.load(long.class, MASK);
        code.constant(1L << bytes() * 8 - 1 - bit);
        code.insn(LAND);
        code.insn(LCONST_0);
        code.insn(LCMP);
        code.jump(IFEQ, zero);
    }

    private void deserializeColumn(Emitter code, ColumnShape column) {
        Label there = new Label();
        Label done = new Label();
        testMask(code, kindBits + column.index(), there);
        code.go(done);
        code.mark(there);
        code.load(TARGET);
        code.constant(column.index());
        ColumnCode.deserialize(code, column, SOURCE);
        code.insn(AASTORE);
        code.mark(done);
    }

    private void create(Emitter code) {
        code.constant(columns.size());
        code.type(ANEWARRAY, Object.class);
        code.store(TARGET);
    }

    private AccessClass.Each<ColumnShape> each(BiConsumer<Emitter, ColumnShape> column) {
        BiConsumer<Emitter, List<ColumnShape>> all =
                (code, some) -> some.forEach(each -> column.accept(code, each));
        return new AccessClass.Each<>(columns, ColumnCode::size, all);
    }
}
