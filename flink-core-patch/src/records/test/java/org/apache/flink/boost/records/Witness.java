// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.ArrayList;
import java.util.List;

/** Is told of each object that a made class makes, and may let a constructor fail; per thread. */
public final class Witness {

    private static final ThreadLocal<Witness> OF_THREAD = ThreadLocal.withInitial(Witness::new);

    private final List<String> made = new ArrayList<>();
    private int failAt = -1;
    private Throwable failure;

    private Witness() {}

    /** Called by the constructors of made classes. */
    public static void made(Object object) {
        OF_THREAD.get().witness(object);
    }

    /** Forgets what was made, and lets the constructor number {@code at} fail. */
    static void reset(int at, Throwable failure) {
        Witness witness = OF_THREAD.get();
        witness.made.clear();
        witness.failAt = at;
        witness.failure = failure;
    }

    static void reset() {
        reset(-1, null);
    }

    /** The classes whose objects were made, in order. */
    static List<String> seen() {
        return new ArrayList<>(OF_THREAD.get().made);
    }

    private void witness(Object object) {
        made.add(object.getClass().getSimpleName());
        if (made.size() - 1 == failAt) {
            Witness.<RuntimeException>fail(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void fail(Throwable failure) throws E {
        throw (E) failure;
    }
}
