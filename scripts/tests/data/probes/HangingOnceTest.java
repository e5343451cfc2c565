// SPDX-License-Identifier: Apache-2.0
package probes;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Never ends when it runs for the first time. */
class HangingOnceTest {

    @Test
    void hangsOnce() throws Exception {
        Path ran = Path.of(System.getProperty("probes.folder"), "ran-once");
        if (Files.notExists(ran)) {
            Files.createFile(ran);
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
