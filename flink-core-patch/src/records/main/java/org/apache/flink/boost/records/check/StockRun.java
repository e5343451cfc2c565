// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;

/**
 * Runs stock's bodies of serializers on this thread, also of those inside: a record is held against
 * nothing that generated code has had a hand in.
 */
public final class StockRun {

    private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

    private StockRun() {}

    /** A call of a serializer. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** Whether this thread is in such a run. */
    public static boolean isOn() {
        return DEPTH.get()[0] > 0;
    }

    /** What the call returns or throws. */
    static <T> T of(Call<T> call) throws IOException {
        int[] depth = DEPTH.get();
        depth[0]++;
        try {
            return call.run();
        } finally {
            depth[0]--;
        }
    }
}
