// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What the JIT compiler makes of the call sites, read from its own log: with profile {@code mixed}
 * it has to call through the interface, with {@code pure} it knows the class and inlines.
 */
class PollutedProfileTest {

    private static final String CALLED = "%s::%s \\(0 bytes\\)\\s+virtual call";
    private static final String INLINED = "%s::%s \\(\\d+ bytes\\)\\s+inline \\(hot\\)";

    private static final int TRIES = 3;

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

        String cell = "StringSerializationBenchmark." + benchmark;
        assertThat(compilerLog(cell, "mixed", view)).containsPattern(called);
        String pure = compilerLog(cell, "pure", view);
        // On a loaded machine the compiler may be asked for before the call site has a profile;
        // one that was polluted is called through the interface every time.
        for (int again = 1; again < TRIES && called.matcher(pure).find(); again++) {
            pure = compilerLog(cell, "pure", view);
        }
        assertThat(pure).doesNotContainPattern(called).containsPattern(inlined);
    }

    /** A comparator has seen all kinds, but its own call sites stay those of one class. */
    @Test
    void pollutedComparatorIsStillCalledDirectly() throws Exception {
        // Where other threads take the processors it may be compiled before its caller, and large.
        Pattern direct =
                Pattern.compile(
                        "Kryo::encode \\(\\d+ bytes\\)\\s+"
                                + "(inline \\(hot\\)|already compiled into a big method)");
        Pattern otherKinds =
                Pattern.compile("\\s4\\s.*kryo\\.io\\.Output::write(Utf8|String)_slow");
        String cell = "StringComparatorBenchmark.writeKryo";
        assertThat(compilerLog(cell, "mixed")).containsPattern(direct).containsPattern(otherKinds);
        assertThat(compilerLog(cell, "pure"))
                .containsPattern(direct)
                .doesNotContainPattern(otherKinds);
    }

    private String compilerLog(String benchmark, String profile, String... view) throws Exception {
        Path log = folder.resolve(benchmark + "." + profile);
        ChainedOptionsBuilder options =
                new OptionsBuilder()
                        .include(benchmark + "$")
                        .param("length", "128")
                        .param("kind", "ascii")
                        .param("profile", profile)
                        .forks(1)
                        // -Xbatch: on a busy machine the compiler may end after the measurement.
                        .jvmArgs(
                                "-Xbatch",
                                "-XX:+UnlockDiagnosticVMOptions",
                                "-XX:+PrintCompilation",
                                "-XX:+PrintInlining")
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(500))
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(200))
                        .shouldFailOnError(true)
                        .output(log.toString());
        if (view.length > 0) {
            options.param("view", view);
        }
        new Runner(options.build()).run();
        return Files.readString(log);
    }
}
