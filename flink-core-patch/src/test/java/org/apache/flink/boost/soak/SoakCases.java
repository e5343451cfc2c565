// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

/** What a soak test drives: cases, of which each is a function of a seed and its index alone. */
public interface SoakCases {

    /** Checks the case of an index; each thread has its own. */
    interface Check {

        /**
         * Returns when patched and stock agree.
         *
         * @throws Mismatch when they do not
         */
        void check(long index) throws Exception;
    }

    /** What they are, in the plural. */
    String name();

    /** Changes whenever the same seed and index give another case. */
    int generator();

    /** How many of them take a fraction of a second. */
    int block();

    /**
     * A check for one thread.
     *
     * @param damage what patched is to do wrongly, so that the check is checked; empty for nothing
     */
    Check checkOf(long seed, String damage);

    /** One of them in words. */
    String describe(long seed, long index);
}
