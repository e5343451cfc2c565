// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
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
    public static final RecordAccess STOCK = new StockAccess();

    /** Leaves everything to stock's body until a class has been generated. */
    public static final RecordAccess NOT_YET = new StockAccess();

    /** A serializer of Flink's, which keeps its access. */
    public interface Holder {

        /** The access; null before the first record. */
        RecordAccess boostAccess();

        /** Sets the access. */
        void boostAccess(RecordAccess access);

        /** Looks for the access. */
        RecordAccess boostFind();
    }

    /** The access of a serializer, which is looked for until it is there for good. */
    public static RecordAccess of(Holder serializer) {
        RecordAccess access = serializer.boostAccess();
        if (access == null || access.isPreliminary()) {
            access = serializer.boostFind();
            serializer.boostAccess(access);
        }
        return access;
    }

    /** Whether another access may have come to stand in the place of this one. */
    public final boolean isPreliminary() {
        return this == NOT_YET;
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
