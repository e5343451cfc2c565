// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import java.io.IOException;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.records.check.StockRun;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;

/**
 * Puts our input in the place of stock's, for views that show their memory. Stock's own body reads
 * by it and does all the rest: its checks, and its exceptions.
 */
public final class KryoReader {

    private KryoReader() {}

    /**
     * Reads a record, or returns {@link HandOver#TO_STOCK}; so it does where the serializer's own
     * method, which it calls, comes back to it.
     */
    public static Object read(KryoInsides self, DataInputView source) throws IOException {
        if (source == null) {
            return HandOver.TO_STOCK;
        }
        LookAheadInput input = self.boostLookAhead();
        boolean isReading = input != null && input.isReading();
        if (!isReading && BoostMode.CHECKS_RECORDS && StockRun.isOn()) {
            // Also where somebody has looked at the input, which has bytes of the run before.
            letGo(self);
            return HandOver.TO_STOCK;
        }
        if (input != null && input.isStocks()) {
            if (!isReading && self.boostInput() != input) {
                // Stock has another one by now.
                input.release();
            }
            return HandOver.TO_STOCK;
        }
        return BoostMode.CHECKS_RECORDS ? readChecked(self, source) : readAhead(self, source);
    }

    private static Object readChecked(KryoInsides self, DataInputView source) throws IOException {
        if (!OwnViews.showsMemory(source)) {
            return readAhead(self, source);
        }
        LookAheadInput input = self.boostLookAhead();
        if (input == null) {
            input = inputFor(self, source);
        }
        if (input == null) {
            return HandOver.TO_STOCK;
        }
        if (source == self.boostPrevious() && (self.boostInput() != input || input.hasMore())) {
            // What an input took too much of the record before cannot be read twice.
            return readAhead(self, source);
        }
        Object record = input.check(self).deserialize(source);
        if (record == HandOver.TO_STOCK) {
            letGo(self);
        }
        return record;
    }

    /** The serializer's first input; null where heap or stack are enough for stock alone. */
    private static LookAheadInput inputFor(KryoInsides self, DataInputView source) {
        try {
            LookAheadInput input = new LookAheadInput(source);
            self.boostLookAhead(input);
            return input;
        } catch (VirtualMachineError | LinkageError e) {
            return null;
        }
    }

    /** Lets go of the view before, as stock does, so that an input begins anew. */
    static void letGo(KryoInsides self) {
        LookAheadInput input = self.boostLookAhead();
        if (input != null && self.boostInput() == input) {
            // First, for where there is no memory to forget with.
            self.boostPrevious(null);
            input.release();
        }
    }

    /** Reads a record by our input, or returns {@link HandOver#TO_STOCK}. */
    static Object readAhead(KryoInsides self, DataInputView source) throws IOException {
        LookAheadInput input = self.boostLookAhead();
        if (!OwnViews.showsMemory(source) || input != null && input.isStocks()) {
            letGo(self);
            return HandOver.TO_STOCK;
        }
        if (source != self.boostPrevious()) {
            // As stock: what the input before may still hold is of the other view.
            if (input != null) {
                input.bind(source);
            } else {
                input = inputFor(self, source);
                if (input == null) {
                    return HandOver.TO_STOCK;
                }
            }
            self.boostInput(input);
            self.boostPrevious(source);
        } else if (input == null || self.boostInput() != input) {
            return HandOver.TO_STOCK;
        }
        input.startRecord();
        try {
            return self.boostDeserialize(source);
        } finally {
            input.endRecord();
        }
    }
}
