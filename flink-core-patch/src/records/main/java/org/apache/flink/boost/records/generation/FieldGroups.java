// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.generation;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.records.shapes.FieldKind;
import org.apache.flink.boost.records.shapes.FieldShape;

/**
 * Cuts fields into groups whose code HotSpot inlines: it leaves hot methods above 325 bytes where
 * they are, and never compiles one above 8,000.
 */
final class FieldGroups {

    /** Bytes of code per method, without its frame. */
    private static final int MOST = 270;

    private FieldGroups() {}

    /** The fields in their order, at least one group. */
    static List<List<FieldShape>> of(List<FieldShape> fields) {
        List<List<FieldShape>> groups = new ArrayList<>();
        List<FieldShape> group = new ArrayList<>();
        groups.add(group);
        int size = 0;
        for (FieldShape field : fields) {
            int more = size(field);
            if (size + more > MOST && !group.isEmpty()) {
                group = new ArrayList<>();
                groups.add(group);
                size = 0;
            }
            group.add(field);
            size += more;
        }
        return groups;
    }

    /** What the largest of the three methods takes for a field. */
    private static int size(FieldShape field) {
        if (field.kind() == FieldKind.OTHER) {
            return 75;
        }
        return field.isPrimitive() ? 36 : 45;
    }
}
