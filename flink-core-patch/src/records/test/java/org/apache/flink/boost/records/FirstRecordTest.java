// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.strings.ForkedJvm;
import org.junit.jupiter.api.Test;

/** A process outlives a job whose first record met a full heap, or the end of the stack. */
class FirstRecordTest {

    @Test
    void aFullHeapAtTheFirstRecordIsForgotten() throws Exception {
        List<String> options =
                List.of("-Xmx24m", "-Dflink.boost.records=" + (Families.RECORDS ? "on" : "off"));
        ForkedJvm.Result result = ForkedJvm.run(options, FirstRecordProbe.class);
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers())
                .containsExactly(
                        String.valueOf(Families.RECORDS), "class java.lang.OutOfMemoryError", "7");
    }

    @Test
    void aFullHeapAtTheFirstRecordByKryoIsForgotten() throws Exception {
        List<String> options =
                List.of(
                        "-Xmx24m",
                        // Kryo's serializers of Flink 1 look into it, as Flink's scripts let them.
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "-Dflink.boost.records=" + (Families.RECORDS ? "on" : "off"));
        ForkedJvm.Result result = ForkedJvm.run(options, FirstRecordProbe.class, "kryo");
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers())
                .as(result.output)
                .containsExactly(
                        String.valueOf(Families.RECORDS), "class java.lang.OutOfMemoryError", "7");
    }

    @Test
    void theEndOfTheStackAtTheFirstRecordIsForgotten() throws Exception {
        List<String> options =
                List.of("-Xss400k", "-Dflink.boost.records=" + (Families.RECORDS ? "on" : "off"));
        ForkedJvm.Result result = ForkedJvm.run(options, FirstRecordProbe.class, "stack");
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers())
                .containsExactly(
                        String.valueOf(Families.RECORDS),
                        "class java.lang.StackOverflowError",
                        "7");
    }
}
