// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** One field of a tuple or row: an object of which only the serializer is known. */
public final class ColumnShape {

    private final int index;
    private final FieldKind kind;

    private ColumnShape(int index, TypeSerializer<?> serializer) {
        this.index = index;
        this.kind = FieldKind.of(serializer);
    }

    /** One column per serializer. */
    public static List<ColumnShape> of(TypeSerializer<?>[] serializers) {
        List<ColumnShape> columns = new ArrayList<>(serializers.length);
        for (int i = 0; i < serializers.length; i++) {
            columns.add(new ColumnShape(i, serializers[i]));
        }
        return columns;
    }

    public int index() {
        return index;
    }

    /** The kind of the serializer; what it takes are boxes. */
    public FieldKind kind() {
        return kind;
    }
}
