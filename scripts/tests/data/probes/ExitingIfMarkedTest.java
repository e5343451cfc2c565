// SPDX-License-Identifier: Apache-2.0
package probes;

import org.junit.jupiter.api.Test;

/** Ends the JVM in which {@link MarkingTest} has run before. */
class ExitingIfMarkedTest {

    @Test
    void exitsIfMarked() {
        if (Boolean.getBoolean("probes.marked")) {
            System.exit(7);
        }
    }
}
