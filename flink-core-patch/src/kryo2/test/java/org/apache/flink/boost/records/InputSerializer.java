// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;

/** A serializer of a user's for Kryo 2, which reads from the input it is given. */
abstract class InputSerializer<T> extends Serializer<T> {

    abstract T read(Kryo kryo, Input input);

    @Override
    public final T read(Kryo kryo, Input input, Class<T> type) {
        return read(kryo, input);
    }
}
