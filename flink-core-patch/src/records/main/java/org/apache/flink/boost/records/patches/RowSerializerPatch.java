// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.patches;

import java.io.IOException;
import java.util.LinkedHashMap;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.Accesses;
import org.apache.flink.boost.records.RecordAccess;
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
    public interface Memory {

        /** One for each field. */
        @Reads("fieldSerializers")
        TypeSerializer<?>[] boostSerializers();

        /** Whether the kind of a row is written. */
        @Reads("supportsRowKind")
        boolean boostHasKind();

        /** The names of the positions; may be null. */
        @Reads("positionByName")
        LinkedHashMap<String, Integer> boostPositions();

        /** What moves the rows; null before the first. */
        @Adds("boostAccess")
        RecordAccess boostAccess();

        /** Sets what moves the rows. */
        @Adds("boostAccess")
        void boostAccess(RecordAccess access);
    }

    /** Copies a row. */
    @Replaces
    public static Object copy(Memory self, Row from) {
        return access(self).copy(from);
    }

    /** Writes a row. */
    @Replaces
    public static boolean serialize(Memory self, Row value, DataOutputView target)
            throws IOException {
        return access(self).serialize(value, target);
    }

    /** Reads a row. */
    @Replaces
    public static Object deserialize(Memory self, DataInputView source) throws IOException {
        return access(self).deserialize(source);
    }

    private static RecordAccess access(Memory self) {
        RecordAccess access = self.boostAccess();
        if (access == null || access.isPreliminary()) {
            access =
                    Accesses.ofRow(
                            self.boostSerializers(), self.boostHasKind(), self.boostPositions());
            self.boostAccess(access);
        }
        return access;
    }
}
