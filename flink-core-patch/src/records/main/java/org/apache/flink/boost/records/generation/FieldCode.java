// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ARETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_0;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_1;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.ICONST_2;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.IRETURN;
import static org.apache.flink.shaded.asm9.org.objectweb.asm.Opcodes.POP;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.apache.flink.boost.records.FieldAccess;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldRun;
import org.apache.flink.boost.records.shapes.FieldShape;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Label;
import org.apache.flink.shaded.asm9.org.objectweb.asm.Type;

/** The access to records whose fields have types and a null flag each: POJOs and Java records. */
final class FieldCode {

    /** Stock's flags of a record that is of the serializer's own class. */
    private static final int NO_SUBCLASS = ICONST_2;

    private static final int OUT = 2;
    private static final int FREE = 3;

    private final RecordShape shape;
    private final Class<?> type;
    private final boolean initialises;
    private final AccessClass access;

    private FieldCode(RecordShape shape, boolean initialises) {
        this.shape = shape;
        this.type = shape.type();
        this.initialises =
                initialises
                        && !shape.isRecord()
                        && shape.fields().stream().anyMatch(e -> e.kind() == FieldKind.OTHER);
        this.access =
                new AccessClass(
                        Type.getInternalName(type) + "$FlinkBoostAccess", FieldAccess.class);
    }

    /**
     * The class file; its class is to be a nestmate of the record's.
     *
     * @param initialises whether stock sets the fields of a new object before it reads them
     */
    static byte[] generate(RecordShape shape, boolean initialises) {
        return new FieldCode(shape, initialises).generate();
    }

    private byte[] generate() {
        access.constructor(
                shape.fields().stream()
                        .filter(each -> each.kind() == FieldKind.OTHER)
                        .map(FieldShape::index)
                        .collect(Collectors.toList()));
        List<FieldShape> byHandle = shape.fieldsByHandle();
        for (int i = 0; i < byHandle.size(); i++) {
            access.handle(byHandle.get(i), i);
        }
        access.method("copy", Emitter.COPY, this::copy);
        access.method("serialize", Emitter.SERIALIZE, this::serialize);
        access.method("deserialize", Emitter.DESERIALIZE, this::deserialize);
        if (shape.isRecord()) {
            RecordCode code = new RecordCode(shape);
            access.part(RecordCode.REFUSED, code.refusedDescriptor(), code::refused);
        }
        return access.bytes();
    }

    private void copy(Emitter code) {
        Label stock = new Label();
        code.requireClass(type, stock);
        if (shape.isRecord()) {
            new RecordCode(shape).copy(code);
        } else {
            code.construct(shape, "failedCopy", () -> {});
            code.store(PojoCode.TARGET);
            access.groups(code, "copy", each(PojoCode::copy), type, type);
            returnPojo(code);
        }
        code.mark(stock);
        code.handOver();
        code.insn(ARETURN);
    }

    private void serialize(Emitter code) {
        Label stock = new Label();
        code.requireClass(type, stock);
        code.load(OUT);
        code.insn(NO_SUBCLASS);
        code.output("writeByte", int.class);
        access.groups(code, "serialize", runs(this::serialize), type, DataOutputView.class);
        code.insn(ICONST_1);
        code.insn(IRETURN);
        code.mark(stock);
        code.insn(ICONST_0);
        code.insn(IRETURN);
    }

    private void deserialize(Emitter code) {
        code.load(ValueCode.SOURCE);
        code.input("readByte", byte.class);
        code.insn(POP);
        if (shape.isRecord()) {
            new RecordCode(shape).deserialize(code);
            return;
        }
        code.construct(shape, "failedRead", () -> {});
        code.store(PojoCode.TARGET);
        if (initialises) {
            code.load(0);
            code.load(PojoCode.TARGET);
            code.help("initialise", void.class, Object.class);
        }
        access.groups(code, "deserialize", runs(this::deserialize), DataInputView.class, type);
        returnPojo(code);
    }

    private static void returnPojo(Emitter code) {
        code.load(PojoCode.TARGET);
        code.insn(ARETURN);
    }

    private void serialize(Emitter code, FieldRun run) {
        Consumer<Emitter> singly =
                inner -> run.fields().forEach(each -> ValueCode.serialize(inner, each, OUT, FREE));
        if (!run.isFixed()) {
            singly.accept(code);
            return;
        }
        Label done = new Label();
        new RunCode(OUT, FREE).serialize(code, run, done);
        access.call(code, "serialize" + singly(run), singly, type, DataOutputView.class);
        code.mark(done);
    }

    private void deserialize(Emitter code, FieldRun run) {
        Consumer<Emitter> singly =
                inner -> run.fields().forEach(each -> PojoCode.deserialize(inner, each));
        if (!run.isFixed()) {
            singly.accept(code);
            return;
        }
        Label done = new Label();
        new RunCode(ValueCode.SOURCE, PojoCode.FREE)
                .deserialize(
                        code,
                        run,
                        (field, load) -> {
                            code.load(PojoCode.TARGET);
                            load.run();
                            code.putField(field);
                        },
                        done);
        access.call(code, "deserialize" + singly(run), singly, DataInputView.class, type);
        code.mark(done);
    }

    private static String singly(FieldRun run) {
        return "Singly" + run.fields().get(0).index();
    }

    private AccessClass.Each<FieldShape> each(BiConsumer<Emitter, FieldShape> field) {
        return each(shape.fields(), FieldCode::size, field);
    }

    private AccessClass.Each<FieldRun> runs(BiConsumer<Emitter, FieldRun> run) {
        return each(FieldRun.of(shape.fields()), FieldCode::size, run);
    }

    private static <T> AccessClass.Each<T> each(
            List<T> all, ToIntFunction<T> size, BiConsumer<Emitter, T> body) {
        return new AccessClass.Each<>(
                all, size, (code, some) -> some.forEach(each -> body.accept(code, each)));
    }

    /** What the larger of the two methods that know runs takes for one. */
    private static int size(FieldRun run) {
        return run.isFixed() ? 50 + 29 * run.fields().size() : size(run.fields().get(0));
    }

    /** What the largest of the three methods takes for a field. */
    private static int size(FieldShape field) {
        if (field.kind() == FieldKind.OTHER) {
            return 75;
        }
        return field.isPrimitive() ? 36 : 45;
    }
}
