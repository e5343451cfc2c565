// SPDX-License-Identifier: Apache-2.0
package probes;

import org.junit.jupiter.api.Test;

/** Ends the JVM, with the exit code of a good run, before the others have run. */
class ExitingTest {

    @Test
    void exits() {
        System.exit(0);
    }
}
