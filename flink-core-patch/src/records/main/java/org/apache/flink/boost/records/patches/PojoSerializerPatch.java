// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.patches;

import java.io.IOException;
import java.lang.reflect.Field;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.Accesses;
import org.apache.flink.boost.records.FixedFields;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.records.check.RecordLayout;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flinkboost.weaver.patch.Adds;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Replaces;

/** Moves POJOs and Java records by a generated class; subclasses and nulls are stock's. */
@Patches("org.apache.flink.api.java.typeutils.runtime.PojoSerializer")
public final class PojoSerializerPatch {

    /** What stock writes in front of a record that is of the serializer's own class. */
    private static final byte NO_SUBCLASS = 2;

    private PojoSerializerPatch() {}

    /** The insides of a {@code PojoSerializer}. */
    public interface Memory extends RecordAccess.Holder {

        /** The class of the records. */
        @Reads("clazz")
        Class<?> boostType();

        /** Its fields; null for one that it has no longer. */
        @Reads("fields")
        Field[] boostFields();

        /** One for each field. */
        @Reads("fieldSerializers")
        TypeSerializer<?>[] boostSerializers();

        @Override
        @Adds("boostAccess")
        RecordAccess boostAccess();

        @Override
        @Adds("boostAccess")
        void boostAccess(RecordAccess access);

        @Override
        default RecordAccess boostFind() {
            return Accesses.ofFields(boostType(), boostFields(), boostSerializers());
        }

        @Override
        default RecordLayout boostLayout() {
            return RecordLayout.ofFields(boostType(), boostFields(), boostSerializers());
        }
    }

    /** Copies a record. */
    @Replaces
    public static Object copy(Memory self, Object from) {
        RecordAccess access = RecordAccess.of(self);
        return access == null ? HandOver.TO_STOCK : access.copy(from);
    }

    /** Writes a record. */
    @Replaces
    public static boolean serialize(Memory self, Object value, DataOutputView target)
            throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access != null && access.serialize(value, target);
    }

    /** Reads a record whose flags can be looked at beforehand. */
    @Replaces
    public static Object deserialize(Memory self, DataInputView source) throws IOException {
        RecordAccess access = RecordAccess.of(self);
        return access != null && source != null && FixedFields.startsWith(source, NO_SUBCLASS)
                ? access.deserialize(source)
                : HandOver.TO_STOCK;
    }
}
