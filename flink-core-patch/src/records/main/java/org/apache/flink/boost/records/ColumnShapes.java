// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;

/**
 * The shapes of tuples and rows. No class of a job is in them, only names; each is forgotten with
 * the last serializer that has it, since a session cluster sees many jobs.
 */
final class ColumnShapes {

    private final Map<String, WeakReference<GeneratedAccess>> shapes = new HashMap<>();

    /** Generates the class of a shape, and makes accesses that keep it. */
    interface Generation {
        GeneratedAccess.Maker generate(GeneratedAccess shape)
                throws UnsuitableRecordException, ReflectiveOperationException;
    }

    GeneratedAccess get(String key, Generation generation) {
        GeneratedAccess added;
        GeneratedAccess.Generation begin;
        synchronized (this) {
            WeakReference<GeneratedAccess> reference = shapes.get(key);
            GeneratedAccess known = reference == null ? null : reference.get();
            if (known != null) {
                return known;
            }
            shapes.values().removeIf(each -> each.get() == null);
            GeneratedAccess shape = new GeneratedAccess(key.replace('\n', ' '));
            // Made first: what is known and never begun, for want of memory, would be waited for.
            begin = () -> generation.generate(shape);
            added = shape;
            shapes.put(key, new WeakReference<>(shape));
        }
        added.start(begin);
        return added;
    }

    /** How many are known. */
    synchronized int size() {
        return shapes.size();
    }
}
