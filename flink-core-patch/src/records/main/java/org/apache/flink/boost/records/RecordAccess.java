// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.records.check.CheckedAccess;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Moves the records of one serializer. A generated class does so without reflection; what it cannot
 * do as stock's body would, it hands over.
 */
public abstract class RecordAccess {

    /** Returned where stock's body is to run; nothing has been read or made yet. */
    public static final Object TO_STOCK = HandOver.TO_STOCK;

    /** Leaves everything to stock's body. */
    public static final RecordAccess STOCK = new StockAccess(null);

    /** A serializer of Flink's, which keeps its access. */
    public interface Holder {

        /** The access; null before the first record. */
        RecordAccess boostAccess();

        /** Sets the access. */
        void boostAccess(RecordAccess access);

        /** Looks for the access. */
        RecordAccess boostFind();

        /** Where the fields of its records are; asked for when they are checked. */
        RecordLayout boostLayout();
    }

    /**
     * The generated access of a serializer, or null where stock's body is to run. So the calls of
     * an access never meet stock's, and the JIT compiler sees in them generated classes only.
     */
    public static RecordAccess of(Holder serializer) {
        RecordAccess access = serializer.boostAccess();
        return access == null || access instanceof StockAccess
                ? look(serializer, (StockAccess) access)
                : access;
    }

    private static RecordAccess look(Holder serializer, StockAccess known) {
        if (known == STOCK) {
            return null;
        }
        RecordAccess access;
        try {
            RecordAccess found = known == null ? serializer.boostFind() : known.now();
            access = BoostMode.CHECKS_RECORDS ? CheckedAccess.around(found, serializer) : found;
        } catch (VirtualMachineError e) {
            // Heap or stack may be enough for stock; where they are not, its errors are known.
            return null;
        } catch (LinkageError e) {
            // A class of ours that met a full heap when it was initialised never comes back.
            access = STOCK;
        }
        serializer.boostAccess(access);
        return access instanceof StockAccess ? null : access;
    }

    /**
     * Leaves everything to stock's body for now.
     *
     * @param made gives the access that is to stand in the place of this one; null until then
     */
    static RecordAccess until(Supplier<RecordAccess> made) {
        return new StockAccess(made);
    }

    /** Whether another access may have come to stand in the place of this one. */
    public final boolean isPreliminary() {
        return this instanceof StockAccess && ((StockAccess) this).made != null;
    }

    /** A deep copy, or {@link #TO_STOCK}. */
    public abstract Object copy(Object from);

    /** Writes a record; false when nothing was written and stock is to do it. */
    public abstract boolean serialize(Object value, DataOutputView out) throws IOException;

    /**
     * Reads a record, or returns {@link #TO_STOCK}. One with flags in front of it has been looked
     * at before: they say that it is of just the serializer's class.
     */
    public abstract Object deserialize(DataInputView in) throws IOException;

    private static final class StockAccess extends RecordAccess {

        private final Supplier<RecordAccess> made;

        private StockAccess(Supplier<RecordAccess> made) {
            this.made = made;
        }

        private RecordAccess now() {
            RecordAccess access = made.get();
            return access == null ? this : access;
        }

        @Override
        public Object copy(Object from) {
            return TO_STOCK;
        }

        @Override
        public boolean serialize(Object value, DataOutputView out) {
            return false;
        }

        @Override
        public Object deserialize(DataInputView in) {
            return TO_STOCK;
        }
    }
}
