// SPDX-License-Identifier: Apache-2.0
package probes;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Fails on both sides before its first test. */
class StockTooTest {

    @BeforeAll
    static void environmentIsMissing() {
        throw new IllegalStateException("no such environment");
    }

    @Test
    void neverRuns() {}
}
