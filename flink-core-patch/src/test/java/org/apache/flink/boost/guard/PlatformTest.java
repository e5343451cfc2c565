// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the line at the start says of processors and JVMs. */
class PlatformTest {

    private static final String HOT_SPOT = "OpenJDK 64-Bit Server VM";

    @Test
    void whereOurTestsRunNothingIsSaid() {
        for (String processor : new String[] {"amd64", "x86_64"}) {
            for (String jvm : new String[] {HOT_SPOT, "Java HotSpot(TM) 64-Bit Server VM"}) {
                assertThat(new Platform(processor, jvm).describeUntried()).isEmpty();
            }
        }
        assertThat(Platform.current().describeUntried())
                .isEqualTo(
                        new Platform(
                                        System.getProperty("os.arch"),
                                        System.getProperty("java.vm.name"))
                                .describeUntried());
    }

    @Test
    void othersAreNamedWithWhatToDo() {
        assertThat(new Platform("aarch64", HOT_SPOT).describeUntried())
                .isEqualTo(
                        "; not tested on aarch64 with OpenJDK 64-Bit Server VM: run `flink-boost"
                                + " verify FLINK_HOME --job`");
        assertThat(new Platform("amd64", "Eclipse OpenJ9 VM").describeUntried())
                .contains("not tested on amd64 with Eclipse OpenJ9 VM");
        assertThat(new Platform("s390x", HOT_SPOT).describeUntried()).contains("on s390x");
        assertThat(new Platform("x86", "OpenJDK Server VM").describeUntried()).contains("on x86 ");
        assertThat(new Platform(null, null).describeUntried())
                .contains("on an unknown processor with an unknown JVM");
    }
}
