// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;

/**
 * Arrays for the time of one call, of the sizes that stock keeps: a view of a segment has its own,
 * as stock's {@code readUTF} uses them; for another view they are the thread's. At least as long as
 * they are asked for.
 */
final class Scratch {

    private Scratch() {}

    static char[] chars(Positioned view, int size) {
        return size <= Chunk.SIZE ? ofThread().chars : new char[size];
    }

    static char[] chars(SegmentInput view, int size) {
        char[] scratch = view.boostCharScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new char[size];
            view.boostCharScratch(scratch);
        }
        return scratch;
    }

    static byte[] bytes(Positioned view, int size) {
        return size <= Chunk.SIZE ? ofThread().bytes : new byte[size];
    }

    static byte[] bytes(SegmentInput view, int size) {
        byte[] scratch = view.boostScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new byte[size];
            view.boostScratch(scratch);
        }
        return scratch;
    }

    /** No foreign code runs between here and the end of the call, so it need not stay taken. */
    private static Chunk ofThread() {
        Chunk chunk = Chunk.take();
        chunk.release();
        return chunk;
    }
}
