// SPDX-License-Identifier: Apache-2.0
package probes;

import org.junit.jupiter.api.Test;

/** Leaves something behind in the JVM. */
class MarkingTest {

    @Test
    void marks() {
        System.setProperty("probes.marked", "true");
    }
}
