// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A generated access of which stock's body does some of the records again. Where the two differ,
 * stock's is what the job gets, for that record and all that follow.
 *
 * <p>Stock's body runs through the serializer's own method: while it does, all accesses of the
 * thread hand over. A serializer inside another is checked by itself, too.
 */
public final class CheckedAccess extends RecordAccess {

    private final RecordAccess fast;
    private final TypeSerializer<Object> serializer;
    private final RecordLayout layout;
    private final CheckedClasses classes;
    private final CheckedClass checked;
    private final Sample writes = new Sample();
    private final Sample reads = new Sample();
    private final Sample copies = new Sample();

    /** The first records, then a few. Several threads may share a serializer without a state. */
    static final class Sample {

        static final int FIRST = 10_000;
        static final int THEN_ONE_OF = 1_000;

        private final AtomicLong seen = new AtomicLong();

        boolean hasNext() {
            long index = seen.getAndIncrement();
            return index < FIRST || index % THEN_ONE_OF == 0;
        }
    }

    CheckedAccess(
            RecordAccess fast,
            TypeSerializer<Object> serializer,
            RecordLayout layout,
            CheckedClasses classes) {
        this.fast = fast;
        this.serializer = serializer;
        this.layout = layout;
        this.classes = classes;
        this.checked = classes.of(layout.name());
    }

    /** That of a serializer with checks; one that is stock's as it is. */
    @SuppressWarnings("unchecked")
    public static RecordAccess around(RecordAccess access, Holder serializer) {
        return access == STOCK || access.isPreliminary()
                ? access
                : new CheckedAccess(
                        access,
                        (TypeSerializer<Object>) (Object) serializer,
                        serializer.boostLayout(),
                        CheckedClasses.ofThisProcess());
    }

    private boolean isStocksTurn() {
        return StockRun.isOn() || checked.differs();
    }

    /**
     * Holds what generated code did against what stock does. Where stock does not agree with
     * itself, such as about the order of a set, nothing can be said.
     */
    private boolean agree(String verb, Written ours, Supplier<Written> stock) {
        Written stocks = stock.get();
        boolean equal = ours.equalTo(stocks);
        if (!equal && !stock.get().equalTo(stocks)) {
            checked.countIncomparable();
            equal = true;
        }
        classes.count(checked);
        if (!equal) {
            int first = ours.firstDifference(stocks);
            String field = layout.fieldAt(stocks.bytes(), first);
            differ(
                    verb,
                    String.format(
                            "from byte %d on%s ours is %s, Flink's is %s",
                            first,
                            field == null ? "" : ", in field " + field + ",",
                            ours.from(first),
                            stocks.from(first)));
        }
        return equal;
    }

    private void differ(String verb, String what) {
        classes.stop(checked, verb + " " + layout.name() + " as Flink does: " + what);
    }

    @Override
    public boolean serialize(Object value, DataOutputView out) throws IOException {
        if (isStocksTurn()) {
            return false;
        }
        if (!writes.hasNext()) {
            return fast.serialize(value, out);
        }
        boolean[] done = {true};
        Written ours = Written.by(buffer -> done[0] = fast.serialize(value, buffer));
        if (!done[0]
                || !agree("write", ours, () -> Written.byStock(serializer, value))
                || !ours.isWhole()) {
            return false;
        }
        out.write(ours.bytes());
        return true;
    }

    @Override
    public Object copy(Object from) {
        if (isStocksTurn()) {
            return TO_STOCK;
        }
        if (!copies.hasNext()) {
            return fast.copy(from);
        }
        Object[] stocks = new Object[1];
        Supplier<Written> stock =
                () -> Written.byStock(serializer, () -> stocks[0] = serializer.copy(from));
        Object ours;
        try {
            ours = fast.copy(from);
        } catch (Exception | LinkageError e) {
            agree("copy", Written.failed(e), stock);
            return TO_STOCK;
        }
        return ours != TO_STOCK
                        && agree("copy", Written.byStock(serializer, ours), stock)
                        && sharesAsMuch(from, ours, stocks[0])
                ? ours
                : TO_STOCK;
    }

    private boolean sharesAsMuch(Object from, Object ours, Object stocks) {
        String field = stocks == null ? null : layout.sharedField(from, ours, stocks);
        if (field != null) {
            differ("copy", "the copy and the original have one object in field " + field);
        }
        return field == null;
    }

    @Override
    public Object deserialize(DataInputView in) throws IOException {
        if (isStocksTurn()) {
            return TO_STOCK;
        }
        ReadView view = ReadView.of(in);
        if (view == null || !reads.hasNext()) {
            return fast.deserialize(in);
        }
        Object ours;
        try {
            ours = fast.deserialize(in);
        } catch (Exception | LinkageError e) {
            view.rewind();
            return readByStock(in, e);
        }
        if (ours == TO_STOCK) {
            return TO_STOCK;
        }
        byte[] bytes = view.bytes();
        Written again = Written.byStock(serializer, ours);
        if (again.equalTo(Written.as(bytes))) {
            classes.count(checked);
            return ours;
        }
        // A map may well be written in another order than that in which it came.
        Supplier<Written> stock = () -> Written.byStock(serializer, () -> read(bytes));
        if (agree("read", again, stock)) {
            return ours;
        }
        view.rewind();
        return TO_STOCK;
    }

    private Object read(byte[] bytes) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        Object record = serializer.deserialize(in);
        if (in.available() > 0) {
            throw new StreamCorruptedException();
        }
        return record;
    }

    /** What stock makes of bytes at which generated code failed. */
    private Object readByStock(DataInputView in, Throwable thrown) throws IOException {
        classes.count(checked);
        try {
            Object stocks = StockRun.of(() -> serializer.deserialize(in));
            differ("read", "it ends with " + thrown.getClass().getName());
            return stocks;
        } catch (Exception | LinkageError e) {
            if (e.getClass() != thrown.getClass()) {
                String ours = thrown.getClass().getName();
                differ("read", "it ends with " + ours + ", Flink with " + e.getClass().getName());
            }
            throw e;
        }
    }
}
