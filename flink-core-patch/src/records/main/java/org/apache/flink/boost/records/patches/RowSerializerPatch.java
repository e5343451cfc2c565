// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.patches;

import java.io.IOException;
import java.util.LinkedHashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.Accesses;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.Row;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;

/** Moves rows whose fields have positions by a generated class. */
@Patches("org.apache.flink.api.java.typeutils.runtime.RowSerializer")
public final class RowSerializerPatch {

    private RowSerializerPatch() {}

    /** The insides of a {@code RowSerializer}. */
    public interface Memory extends RecordAccess.Holder {

        /** One for each field. */
        @Reads("fieldSerializers")
        TypeSerializer<?>[] boostSerializers();

        /** Whether the kind of a row is written. */
        @Reads("supportsRowKind")
        boolean boostHasKind();

        /** The names of the positions; may be null. */
        @Reads("positionByName")
        LinkedHashMap<String, Integer> boostPositions();

        @Override
        @Adds("boostAccess")
        RecordAccess boostAccess();

        @Override
        @Adds("boostAccess")
        void boostAccess(RecordAccess access);

        @Override
        default RecordAccess boostFind() {
            return Accesses.ofRow(boostSerializers(), boostHasKind(), boostPositions());
        }

        @Override
        default RecordLayout boostLayout() {
            return RecordLayout.ofRow(boostSerializers(), boostHasKind());
        }
    }

    /** Copies a row. */
    @Replaces
    public static Object copy(Memory self, Row from) {
        RecordAccess access = RecordAccess.of(self);
        return access == null ? HandOver.TO_STOCK : access.copy(from);
    }

    /** Writes a row. */
    @Replaces
    public static boolean serialize(Memory self, Row value, DataOutputView target)
            throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access != null && access.serialize(value, target);
    }

    /** Reads a row. */
    @Replaces
    public static Object deserialize(Memory self, DataInputView source) throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access == null ? HandOver.TO_STOCK : access.deserialize(source);
    }
}
