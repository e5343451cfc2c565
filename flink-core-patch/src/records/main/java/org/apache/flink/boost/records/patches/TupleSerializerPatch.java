// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.patches;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.boost.records.Accesses;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;

/** Moves tuples of Flink's own classes by a generated class. */
@Patches("org.apache.flink.api.java.typeutils.runtime.TupleSerializer")
public final class TupleSerializerPatch {

    private TupleSerializerPatch() {}

    /** The insides of a {@code TupleSerializer}. */
    public interface Memory extends RecordAccess.Holder {

        /** The class of the tuples. */
        @Reads("tupleClass")
        Class<?> boostType();

        /** One for each field. */
        @Reads("fieldSerializers")
        TypeSerializer<?>[] boostSerializers();

        @Override
        @Adds("boostAccess")
        RecordAccess boostAccess();

        @Override
        @Adds("boostAccess")
        void boostAccess(RecordAccess access);

        /** A subclass of somebody's may exchange the serializers of its fields at any time. */
        @Override
        default RecordAccess boostFind() {
            return ((Object) this).getClass() == TupleSerializer.class
                    ? Accesses.ofTuple(boostType(), boostSerializers())
                    : RecordAccess.STOCK;
        }

        @Override
        default RecordLayout boostLayout() {
            return RecordLayout.ofTuple(boostType(), boostSerializers());
        }
    }

    /** Copies a tuple. */
    @Replaces
    public static Object copy(Memory self, Tuple from) {
        RecordAccess access = RecordAccess.of(self);
        return access == null ? HandOver.TO_STOCK : access.copy(from);
    }

    /** Writes a tuple. */
    @Replaces
    public static boolean serialize(Memory self, Tuple value, DataOutputView target)
            throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access != null && access.serialize(value, target);
    }

    /** Reads a tuple. */
    @Replaces
    public static Object deserialize(Memory self, DataInputView source) throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access == null ? HandOver.TO_STOCK : access.deserialize(source);
    }
}
