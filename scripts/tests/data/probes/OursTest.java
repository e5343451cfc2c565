// SPDX-License-Identifier: Apache-2.0
package probes;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Fails with our jar, passes on stock: what a fault of ours looks like. */
class OursTest {

    @Test
    void loadsStockClass() {
        String source =
                StringValue.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        assertFalse(new File(source).getName().startsWith("flink-boost"), "StringValue is not stock's");
    }
}
