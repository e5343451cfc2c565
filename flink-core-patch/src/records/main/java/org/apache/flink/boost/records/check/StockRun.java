// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.io.IOException;

/**
 * Runs stock's bodies of serializers on this thread, also of those inside: a record is held against
 * nothing that generated code has had a hand in. Or runs generated code once more, which was held
 * against stock's the first time.
 */
public final class StockRun {

    private static final int STOCKS = 0;
    private static final int AGAIN = 1;

    private static final ThreadLocal<int[]> DEPTHS = ThreadLocal.withInitial(() -> new int[2]);

    private StockRun() {}

    /** A call of a serializer. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** Whether this thread is in a run of stock's. */
    public static boolean isOn() {
        return DEPTHS.get()[STOCKS] > 0;
    }

    /** Whether this thread does something again. */
    public static boolean isAgain() {
        return DEPTHS.get()[AGAIN] > 0;
    }

    /** What the call returns or throws, by stock's bodies. */
    static <T> T of(Call<T> call) throws IOException {
        return run(STOCKS, call);
    }

    /** What the call returns or throws while nothing of it is checked. */
    static <T> T again(Call<T> call) throws IOException {
        return run(AGAIN, call);
    }

    private static <T> T run(int kind, Call<T> call) throws IOException {
        int[] depths = DEPTHS.get();
        depths[kind]++;
        try {
            return call.run();
        } finally {
            depths[kind]--;
        }
    }
}
