// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import org.apache.flink.types.NullFieldException;

/** What generated code of tuples and rows asks for, where something is not usual. */
public abstract class ColumnAccess extends RecordAccess {

    /** Kept for those that come: a shape is forgotten with the last of its serializers. */
    private final Object origin;

    /**
     * @param origin what the generated class is found by
     */
    protected ColumnAccess(Object origin) {
        this.origin = origin;
    }

    /** What stock throws where a field's serializer met a null. */
    protected static NullFieldException nullField(int column, NullPointerException thrown) {
        return new NullFieldException(column, thrown);
    }

    @Override
    public final String toString() {
        return "access to " + origin;
    }
}
