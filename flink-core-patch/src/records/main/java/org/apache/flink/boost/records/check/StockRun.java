// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

/**
 * Runs stock's bodies of serializers on this thread, also of those inside: a record is held against
 * nothing that generated code has had a hand in. Or runs generated code once more, which was held
 * against stock's the first time.
 */
public final class StockRun {

    private static final int STOCKS = 0;
    private static final int AGAIN = 1;
    private static final int CHECKS = 2;

    /**
     * Records inside one another that are checked: of more, each would run once for each around.
     */
    static final int MOST_CHECKS = 16;

    private static final ThreadLocal<int[]> DEPTHS = ThreadLocal.withInitial(() -> new int[3]);

    private StockRun() {}

    /** A call of a serializer; {@code E} is what it may throw, as only a copy does not. */
    interface Call<T, E extends Exception> {
        T run() throws E;
    }

    /** Whether this thread is in a run of stock's. */
    public static boolean isOn() {
        return DEPTHS.get()[STOCKS] > 0;
    }

    /** Whether this thread does something again. */
    public static boolean isAgain() {
        return DEPTHS.get()[AGAIN] > 0;
    }

    /** Whether a record may be checked that this thread has come to. */
    static boolean mayCheck() {
        return !isAgain() && DEPTHS.get()[CHECKS] < MOST_CHECKS;
    }

    /** What the call returns or throws, by stock's bodies. */
    static <T, E extends Exception> T of(Call<T, E> call) throws E {
        return run(STOCKS, call);
    }

    /** What the call returns or throws while nothing of it is checked. */
    static <T, E extends Exception> T again(Call<T, E> call) throws E {
        return run(AGAIN, call);
    }

    /** What the call, which checks a record, returns or throws. */
    static <T, E extends Exception> T check(Call<T, E> call) throws E {
        return run(CHECKS, call);
    }

    private static <T, E extends Exception> T run(int kind, Call<T, E> call) throws E {
        int[] depths = DEPTHS.get();
        depths[kind]++;
        try {
            return call.run();
        } finally {
            depths[kind]--;
        }
    }
}
