// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

/** A POJO whose constructor fails when it is told to; by it stock is asked for its manner. */
public class StockProbe {

    private static final ThreadLocal<Throwable> FAILURE = new ThreadLocal<>();
    private static final ThreadLocal<Integer> NESTED = ThreadLocal.withInitial(() -> 0);

    /** Never set by us. */
    public Nested nested;

    public StockProbe() {
        Throwable failure = FAILURE.get();
        if (failure != null) {
            StockProbe.<RuntimeException>fail(failure);
        }
    }

    /** What constructors fail with on this thread; null for not at all. */
    static void failWith(Throwable failure) {
        if (failure == null) {
            FAILURE.remove();
        } else {
            FAILURE.set(failure);
        }
    }

    /** How many nested objects were made on this thread. */
    static int nestedMade() {
        return NESTED.get();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void fail(Throwable failure) throws E {
        throw (E) failure;
    }

    /** A POJO that counts its objects. */
    public static class Nested {
        public int value;

        public Nested() {
            NESTED.set(NESTED.get() + 1);
        }
    }

    /** What a constructor throws. */
    static final class ProbeException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** What a constructor throws, too. */
    static final class ProbeError extends Error {
        private static final long serialVersionUID = 1L;
    }
}
