// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.patches;

import com.esotericsoftware.kryo.io.Input;
import java.io.IOException;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.kryo.KryoInsides;
import org.apache.flink.boost.records.kryo.KryoReader;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Calls;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;
import org.flinkboost.weaver.patch.Writes;

/** Reads what Kryo wrote by an input that copies ahead. */
@Patches("org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer")
public final class KryoSerializerPatch {

    private KryoSerializerPatch() {}

    /** The insides of a {@code KryoSerializer}. */
    public interface Memory extends KryoInsides {

        @Override
        @Reads("type")
        Class<?> boostType();

        @Override
        @Reads("input")
        Input boostInput();

        @Override
        @Writes("input")
        void boostInput(Input input);

        @Override
        @Reads("previousIn")
        DataInputView boostPrevious();

        @Override
        @Writes("previousIn")
        void boostPrevious(DataInputView view);

        @Override
        @Adds("boostLookAhead")
        LookAheadInput boostLookAhead();

        @Override
        @Adds("boostLookAhead")
        void boostLookAhead(LookAheadInput input);

        @Override
        @Calls("deserialize")
        Object boostDeserialize(DataInputView source) throws IOException;
    }

    /** Reads a record; a subclass may make inputs of its own. */
    @Replaces
    public static Object deserialize(Memory self, DataInputView source) throws IOException {
        return ((Object) self).getClass() == KryoSerializer.class
                ? KryoReader.read(self, source)
                : HandOver.TO_STOCK;
    }
}
