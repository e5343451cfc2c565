// SPDX-License-Identifier: Apache-2.0
package probes;

import org.junit.jupiter.api.Test;

/** Never ends. */
class HangingTest {

    @Test
    void hangs() throws Exception {
        Thread.sleep(Long.MAX_VALUE);
    }
}
