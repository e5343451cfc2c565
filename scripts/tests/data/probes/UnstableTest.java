// SPDX-License-Identifier: Apache-2.0
package probes;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import org.junit.jupiter.api.Test;

/** Fails the first time only. */
class UnstableTest {

    @Test
    void failsOnce() throws Exception {
        boolean first = new File(System.getProperty("probes.folder"), "ran").createNewFile();
        assertFalse(first, "the first time");
    }
}
