// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.io.Input;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;

/** The insides of a {@code KryoSerializer}, which makes a new input for each view it meets. */
public interface KryoInsides {

    /** The class of the records. */
    Class<?> boostType();

    /** What it reads by; null before the first record. */
    Input boostInput();

    /** Sets what it reads by. */
    void boostInput(Input input);

    /** The view of the record before, which that input reads from; null before the first. */
    DataInputView boostPrevious();

    /** Sets that view. */
    void boostPrevious(DataInputView view);

    /** The input of ours that the serializer has to itself; null before the first record. */
    LookAheadInput boostLookAhead();

    /** Sets the input of ours. */
    void boostLookAhead(LookAheadInput input);

    /** Reads a record by the serializer's own method. */
    Object boostDeserialize(DataInputView source) throws IOException;
}
