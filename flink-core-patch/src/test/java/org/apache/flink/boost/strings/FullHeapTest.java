// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Where memory ends in the middle of a call of ours the error is stock's: Flink ends a TaskManager
 * on an {@code OutOfMemoryError} ({@code taskmanager.jvm-exit-on-oom}) and on no other.
 */
class FullHeapTest {

    @Test
    void aFullHeapIsAnOutOfMemoryErrorInEveryThread() throws Exception {
        ForkedJvm.Result result =
                ForkedJvm.run(
                        List.of("-XX:-UseSerialGC", "-XX:+UseG1GC", "-Xmx24m"),
                        FullHeapProbe.class,
                        "6",
                        "4");
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).hasSize(24).containsOnly("java.lang.OutOfMemoryError");
    }
}
