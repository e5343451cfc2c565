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
    }

    @Test
    void thisJvmIsAskedForItsName() {
        String before = System.getProperty("os.arch");
        String version = System.getProperty("java.vm.version");
        try {
            System.setProperty("os.arch", "amd64");
            assertThat(Platform.current().describeUntried()).isEmpty();
            System.setProperty("os.arch", "riscv64");
            assertThat(Platform.current().describeUntried()).contains("on riscv64 with ");
            System.setProperty("java.vm.version", "21+35-jvmci-23.1-b15");
            assertThat(Platform.current().describeUntried()).contains("with GraalVM's ");
        } finally {
            System.setProperty("os.arch", before);
            System.setProperty("java.vm.version", version);
        }
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
