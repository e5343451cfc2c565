// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.api.serialization;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Access to the view that network records are read with; Flink keeps it package-private, which is
 * why this class lives in its package.
 */
public final class NetworkInput {

    private final NonSpanningWrapper wrapper = new NonSpanningWrapper();

    public DataInputView view() {
        return wrapper;
    }

    /** Points the view at the bytes {@code [from, limit)} of a segment. */
    public void point(MemorySegment segment, int from, int limit) {
        wrapper.initializeFromMemorySegment(segment, from, limit);
    }
}
