// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What the JIT compiler makes of the call sites, read from its own log: with profile {@code mixed}
 * it has to call through the interface, with {@code pure} it knows the class and inlines.
 */
class PollutedProfileTest {

    private static final String CALLED = "%s::%s \\(0 bytes\\)\\s+virtual call";
    private static final String INLINED = "%s::%s \\(\\d+ bytes\\)\\s+inline \\(hot\\)";

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "write,serializer,java.io.DataOutput,write,DataOutputSerializer",
        "read,network,java.io.DataInput,readUnsignedByte,NonSpanningWrapper",
        "copy,network,java.io.DataOutput,writeByte,DataOutputSerializer"
    })
    void pollutionTakesTheReceiverClassFromTheCompiler(
            String benchmark, String view, String declared, String method, String received)
            throws Exception {
        Pattern called = Pattern.compile(String.format(CALLED, Pattern.quote(declared), method));
        Pattern inlined = Pattern.compile(String.format(INLINED, received, method));

        assertThat(compilerLog(benchmark, view, "mixed")).containsPattern(called);
        assertThat(compilerLog(benchmark, view, "pure"))
                .doesNotContainPattern(called)
                .containsPattern(inlined);
    }

    private String compilerLog(String benchmark, String view, String profile) throws Exception {
        Path log = folder.resolve(benchmark + "." + profile);
        new Runner(
                        new OptionsBuilder()
                                .include("StringSerializationBenchmark." + benchmark)
                                .param("length", "128")
                                .param("kind", "ascii")
                                .param("profile", profile)
                                .param("view", view)
                                .forks(1)
                                .jvmArgs(
                                        "-XX:+UnlockDiagnosticVMOptions",
                                        "-XX:+PrintCompilation",
                                        "-XX:+PrintInlining")
                                .warmupIterations(1)
                                .warmupTime(TimeValue.milliseconds(500))
                                .measurementIterations(1)
                                .measurementTime(TimeValue.milliseconds(200))
                                .shouldFailOnError(true)
                                .output(log.toString())
                                .build())
                .run();
        return Files.readString(log);
    }
}
