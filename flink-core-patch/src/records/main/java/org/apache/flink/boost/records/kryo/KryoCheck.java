// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.check.CheckedAccess;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.records.check.StockRun;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** What our input makes of the records of one serializer, to be held against stock's. */
final class KryoCheck extends RecordAccess {

    private final KryoInsides serializer;

    private KryoCheck(KryoInsides serializer) {
        this.serializer = serializer;
    }

    /** Reads records by our input, and some of them by stock's, too. */
    @SuppressWarnings("unchecked")
    static RecordAccess of(KryoInsides serializer) {
        return CheckedAccess.of(
                new KryoCheck(serializer),
                (TypeSerializer<Object>) (Object) serializer,
                RecordLayout.ofKryo(serializer.boostType()));
    }

    /** Copies are stock's. */
    @Override
    public Object copy(Object from) {
        return TO_STOCK;
    }

    /** Records are written by stock. */
    @Override
    public boolean serialize(Object value, DataOutputView out) {
        return false;
    }

    @Override
    public Object deserialize(DataInputView in) throws IOException {
        if (!StockRun.isAgain()) {
            return KryoReader.readAhead(serializer, in);
        }
        // The view has been set back: the input begins anew, as on another one. By now stock's may
        // stand in its place, which read the record in between.
        KryoReader.letGo(serializer);
        serializer.boostPrevious(null);
        Object record = KryoReader.readAhead(serializer, in);
        // Somebody may have looked at the input since, who is served by stock from then on.
        return record == TO_STOCK ? serializer.boostDeserialize(in) : record;
    }
}
