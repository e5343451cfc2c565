// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CallSitePolluterTest {

    private static CallSitePolluter.Pollution pollution;

    @BeforeAll
    static void pollute() throws IOException {
        pollution = new CallSitePolluter().run();
    }

    @Test
    void stringsAreWrittenToAllClassesOfOutputs() {
        assertThat(pollution.outputs)
                .containsOnlyKeys(
                        DataOutputSerializer.class.getName(),
                        DataOutputViewStreamWrapper.class.getName(),
                        DataOutputStream.class.getName(),
                        WriteTarget.foreign().output().getClass().getName());
    }

    @Test
    void stringsAreReadFromAllClassesOfInputs() {
        assertThat(pollution.inputs)
                .containsOnlyKeys(
                        ReadSource.heapNetwork(List.of()).input().getClass().getName(),
                        DataInputDeserializer.class.getName(),
                        DataInputViewStreamWrapper.class.getName(),
                        DataInputStream.class.getName(),
                        ReadSource.foreign(List.of()).input().getClass().getName());
    }

    @Test
    void stringsAreCopiedBetweenAllPairsOfClasses() {
        // Six sources (network memory on and off the heap is one class) and four targets.
        assertThat(pollution.copies).hasSize(5 * 4);
        assertThat(pollution.copies)
                .containsKeys(
                        "NonSpanningWrapper to DataOutputSerializer",
                        "DataInputDeserializer to DataOutputViewStreamWrapper",
                        "DataInputStream to DataOutputStream");
    }

    @Test
    void noClassDominates() {
        // The JIT would inline a receiver that it saw in 90 % of the calls, however many others.
        assertThat(share(pollution.outputs)).isLessThan(0.5);
        assertThat(share(pollution.inputs)).isLessThan(0.5);
        assertThat(share(pollution.copies)).isLessThan(0.1);
    }

    @Test
    void allKindsAndTheBoundaryLengthsAreThere() {
        assertThat(pollution.kinds).containsExactly(TextKind.values());
        assertThat(pollution.lengths)
                .contains(1, 8, 127, 128, 1024, 2048, CallSitePolluter.LONGEST)
                .hasSizeGreaterThan(100);
    }

    @Test
    void callsAreEnoughForTheOptimizingCompiler() {
        pollution
                .outputs
                .values()
                .forEach(calls -> assertThat(calls).isGreaterThanOrEqualTo(5_000));
        pollution.inputs.values().forEach(calls -> assertThat(calls).isGreaterThanOrEqualTo(5_000));
    }

    private static double share(Map<String, Long> calls) {
        long all = calls.values().stream().mapToLong(Long::longValue).sum();
        long most = calls.values().stream().mapToLong(Long::longValue).max().getAsLong();
        return (double) most / all;
    }
}
