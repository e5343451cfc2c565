// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

import java.util.ArrayList;
import java.util.List;

/**
 * Fields of a record that follow each other in its bytes: either one, or several that cannot be
 * null and take a fixed number of bytes each.
 */
public final class FieldRun {

    /** So many that the code of a run can be inlined. */
    private static final int MOST_FIELDS = 7;

    private final List<FieldShape> fields;

    private FieldRun(List<FieldShape> fields) {
        this.fields = fields;
    }

    /** All fields, each in one run. */
    public static List<FieldRun> of(List<FieldShape> fields) {
        List<FieldRun> runs = new ArrayList<>();
        for (FieldShape field : fields) {
            FieldRun last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (last != null && last.takes(field)) {
                last.fields.add(field);
            } else {
                runs.add(new FieldRun(new ArrayList<>(List.of(field))));
            }
        }
        return runs;
    }

    private boolean takes(FieldShape field) {
        return field.isFixed() && fields.get(0).isFixed() && fields.size() < MOST_FIELDS;
    }

    public List<FieldShape> fields() {
        return fields;
    }

    /** Whether it can be moved at once. */
    public boolean isFixed() {
        return fields.size() > 1;
    }

    /** Bytes from the null flag of the first field to the end of the last one's value. */
    public int bytes() {
        return fields.stream().mapToInt(field -> 1 + field.kind().bytes()).sum();
    }
}
