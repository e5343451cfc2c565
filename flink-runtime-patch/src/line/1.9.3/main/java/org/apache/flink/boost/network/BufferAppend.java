// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.nio.ByteBuffer;
import org.apache.flink.runtime.io.network.buffer.BufferBuilder;

/** {@code BufferBuilder.appendAndCommit} for bytes behind which there is still room. */
final class BufferAppend {

    private BufferAppend() {}

    /**
     * Appends all remaining bytes and makes them visible, if there is room for one more.
     *
     * @return false when nothing has been done: the buffer is finished or would be full, or the
     *     source has no array
     */
    static boolean leavesRoom(BufferBuilder buffer, ByteBuffer source, PositionStore store) {
        BufferFields fields = (BufferFields) (Object) buffer;
        BufferPosition written = (BufferPosition) fields.boostPosition();
        int position = written.boostWritten();
        int length = source.remaining();
        if (position < 0 || length >= buffer.getMaxCapacity() - position || !source.hasArray()) {
            return false;
        }
        int from = source.position();
        fields.boostSegment().put(position, source.array(), source.arrayOffset() + from, length);
        source.position(from + length);
        written.boostWritten(position + length);
        store.show(written, position + length);
        return true;
    }
}
