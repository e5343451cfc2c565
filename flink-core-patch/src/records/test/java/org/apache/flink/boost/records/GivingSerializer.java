// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A serializer of somebody's that gives what a test wants, or throws it. */
final class GivingSerializer extends TypeSerializer<Object> {

    private static final long serialVersionUID = 1L;

    private final transient Object given;

    GivingSerializer(Object given) {
        this.given = given;
    }

    private Object give() {
        if (given instanceof RuntimeException) {
            throw (RuntimeException) given;
        }
        return given;
    }

    @Override
    public Object copy(Object from) {
        return give();
    }

    @Override
    public void serialize(Object record, DataOutputView target) throws IOException {
        target.writeByte(7);
        if (given instanceof RuntimeException) {
            throw (RuntimeException) given;
        }
    }

    @Override
    public Object deserialize(DataInputView source) throws IOException {
        source.readByte();
        return give();
    }

    @Override
    public Object createInstance() {
        Witness.made(this);
        return null;
    }

    @Override
    public Object copy(Object from, Object reuse) {
        return give();
    }

    @Override
    public Object deserialize(Object reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.writeByte(source.readByte());
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public TypeSerializer<Object> duplicate() {
        return this;
    }

    @Override
    public int getLength() {
        return 1;
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return 1;
    }

    @Override
    public TypeSerializerSnapshot<Object> snapshotConfiguration() {
        throw new UnsupportedOperationException();
    }
}
