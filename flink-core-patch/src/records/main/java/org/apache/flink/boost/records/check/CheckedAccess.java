// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.concurrent.atomic.AtomicLong;
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
 * thread hand over. A serializer inside another is checked by itself, too. So where stock's body
 * runs instead of ours, nothing inside is checked once more: each level would double the work.
 */
public final class CheckedAccess extends RecordAccess {

    /** A larger one is not compared. */
    private static final int MOST_BYTES = 16 << 20;

    /** How often a difference has to come back: chance has the two orders of a set do so, too. */
    private static final int TIMES_AGAIN = 16;

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
                : of(
                        access,
                        (TypeSerializer<Object>) (Object) serializer,
                        serializer.boostLayout());
    }

    /**
     * An access with checks.
     *
     * @param serializer the one whose own methods run stock's bodies
     */
    public static RecordAccess of(
            RecordAccess access, TypeSerializer<Object> serializer, RecordLayout layout) {
        return new CheckedAccess(access, serializer, layout, CheckedClasses.ofThisProcess());
    }

    private boolean isStocksTurn() {
        return StockRun.isOn() || checked.differs();
    }

    /** What a record is written as, which is made anew each time. */
    private interface Attempt {
        Written make();
    }

    /**
     * Holds what generated code did against what stock does. It is a difference when it comes back
     * each time that both do it again: a set has its order by chance, a record the time of day, and
     * a buffer may be empty once it has been written.
     */
    private boolean agree(String verb, Written ours, Attempt again, Attempt stock) {
        Written stocks = stock.make();
        boolean equal = ours.equalTo(stocks);
        for (int i = 0; i < TIMES_AGAIN && !equal; i++) {
            if (!stock.make().equalTo(stocks) || again.make().equalTo(stocks)) {
                checked.countIncomparable();
                equal = true;
            }
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
        if (!StockRun.mayCheck() || !writes.hasNext()) {
            return fast.serialize(value, out);
        }
        boolean[] done = {true};
        Written ours = null;
        try {
            ours = StockRun.check(() -> writtenAsByStock(value, done));
        } catch (VirtualMachineError e) {
            // The heap may hold a record once that it does not hold as often as a check does.
        }
        if (!done[0]) {
            return false;
        }
        if (ours == null) {
            StockRun.of(
                    () -> {
                        serializer.serialize(value, out);
                        return null;
                    });
        } else {
            ours.copyTo(out);
        }
        return true;
    }

    /** What ours wrote; null where stock writes something else, or ours did not write all of it. */
    private Written writtenAsByStock(Object value, boolean[] done) {
        Written ours = Written.by(to -> done[0] = fast.serialize(value, to));
        if (!done[0]) {
            return null;
        }
        if (!isLarge(ours.length())) {
            Attempt again = () -> Written.by(to -> StockRun.again(() -> fast.serialize(value, to)));
            if (!agree("write", ours, again, () -> Written.byStock(serializer, value))) {
                return null;
            }
        }
        return ours.isWhole() ? ours : null;
    }

    /**
     * Whether a record is not compared, because a TaskManager may have no room to hold it often.
     */
    private boolean isLarge(int bytes) {
        if (bytes > MOST_BYTES) {
            classes.countLarge(checked);
        }
        return bytes > MOST_BYTES;
    }

    /** What the job gets is not written: that might change it. */
    @Override
    public Object copy(Object from) {
        if (isStocksTurn()) {
            return TO_STOCK;
        }
        if (!StockRun.mayCheck() || !copies.hasNext()) {
            return fast.copy(from);
        }
        Object[] ours = new Object[1];
        boolean isTheJobs;
        try {
            isTheJobs = StockRun.check(() -> isCopiedAsByStock(from, ours));
        } catch (VirtualMachineError e) {
            isTheJobs = ours[0] != null;
        }
        return isTheJobs ? ours[0] : StockRun.of(() -> serializer.copy(from));
    }

    /** Whether the job gets what ours made, or none of it, which is {@link #TO_STOCK}. */
    private boolean isCopiedAsByStock(Object from, Object[] ours) {
        Object[] stocks = new Object[1];
        Attempt again =
                () -> Written.byStock(serializer, () -> StockRun.again(() -> fast.copy(from)));
        Attempt stock =
                () ->
                        Written.byStock(
                                serializer,
                                () -> StockRun.of(() -> stocks[0] = serializer.copy(from)));
        Written written;
        boolean fails = false;
        try {
            ours[0] = fast.copy(from);
            if (ours[0] == TO_STOCK) {
                return true;
            }
            written = again.make();
        } catch (Exception | LinkageError e) {
            written = Written.failed(e);
            fails = true;
        }
        if (isLarge(written.length())) {
            return true;
        }
        return agree("copy", written, again, stock)
                && !fails
                && sharesAsMuch(from, ours[0], stocks[0]);
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
        if (view == null || !StockRun.mayCheck() || !reads.hasNext()) {
            return fast.deserialize(in);
        }
        return StockRun.check(() -> readChecked(in, view));
    }

    private Object readChecked(DataInputView in, ReadView view) throws IOException {
        Object ours;
        try {
            ours = fast.deserialize(in);
        } catch (Exception | LinkageError e) {
            view.rewind();
            return readByStock(in, view, e);
        }
        if (ours == TO_STOCK || isLarge(view.length())) {
            return ours;
        }
        try {
            if (isReadAsByStock(ours, in, view)) {
                // Writing may have changed the one that was compared.
                return view.again(() -> fast.deserialize(in));
            }
        } catch (Exception | LinkageError | VirtualMachineError e) {
            // It cannot be read twice by ours, or be held as often.
        }
        view.rewind();
        return StockRun.of(() -> serializer.deserialize(in));
    }

    private boolean isReadAsByStock(Object ours, DataInputView in, ReadView view) {
        byte[] bytes = view.bytes();
        Written written = Written.byStock(serializer, ours);
        if (written.equalTo(Written.as(bytes))) {
            classes.count(checked);
            return true;
        }
        // A map may well be written in another order than that in which it came.
        return agree(
                "read",
                written,
                () -> Written.byStock(serializer, () -> view.again(() -> fast.deserialize(in))),
                () -> Written.byStock(serializer, () -> StockRun.of(() -> read(bytes))));
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
    private Object readByStock(DataInputView in, ReadView view, Throwable thrown)
            throws IOException {
        classes.count(checked);
        try {
            Object stocks = StockRun.of(() -> serializer.deserialize(in));
            if (failsAgain(in, view)) {
                differ("read", "it ends with " + thrown.getClass().getName());
            } else {
                checked.countIncomparable();
            }
            return stocks;
        } catch (Exception | LinkageError e) {
            if (e.getClass() != thrown.getClass()) {
                String ours = thrown.getClass().getName();
                differ("read", "it ends with " + ours + ", Flink with " + e.getClass().getName());
            }
            throw e;
        }
    }

    private boolean failsAgain(DataInputView in, ReadView view) {
        for (int i = 0; i < TIMES_AGAIN; i++) {
            try {
                view.again(() -> fast.deserialize(in));
                return false;
            } catch (Exception | LinkageError e) {
                // As before.
            }
        }
        return true;
    }
}
