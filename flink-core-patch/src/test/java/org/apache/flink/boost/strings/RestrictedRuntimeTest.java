// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * JVMs that allow our code less than Flink's or have less: a security manager, a run-time image
 * without the modules that Flink can do without, no flink-runtime. Strings are written and read all
 * the same, unless nobody can tell whose classes they are.
 */
class RestrictedRuntimeTest {

    private static final String OPENED = "string access opened (self-test passed)";

    /** JEP 486: a newer JVM ends at such an option, with or without us. */
    private static final int LAST_WITH_SECURITY_MANAGER = 23;

    @TempDir private Path folder;

    /** The other tests show something only where a JVM that allows everything gives this. */
    @Test
    void everythingAllowedMeansOpened() throws Exception {
        ForkedJvm.Result result = ForkedJvm.run(List.of(), RestrictedProbe.class);

        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).containsExactly("true", OPENED);
    }

    @Test
    void aSecurityManagerThatDeniesReflectionMeansPlain() throws Exception {
        ForkedJvm.Result result =
                runUnder(
                        "permission java.io.FilePermission \"<<ALL FILES>>\", \"read\";",
                        "permission java.util.PropertyPermission \"*\", \"read\";");
        if (isWithoutSecurityManager(result)) {
            return;
        }

        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).hasSize(2).first().isEqualTo("true");
        assertThat(result.answers().get(1)).startsWith("string access plain (java.lang is not");
    }

    /** What the guard cannot look at may not run, whichever class comes first. */
    @Test
    void aSecurityManagerThatDeniesEverythingIsRefused() throws Exception {
        ForkedJvm.Result result = runUnder();
        if (isWithoutSecurityManager(result)) {
            return;
        }

        assertThat(result.code).as(result.output).isNotZero();
        assertThat(result.answers()).isEmpty();
        assertThat(result.output).contains("WrongFlinkVersionError: flink-boost ");
    }

    @Test
    void theModulesThatFlinksViewsNeedAreEnough() throws Exception {
        ForkedJvm.Result result =
                ForkedJvm.run(
                        List.of("--limit-modules=java.base,jdk.unsupported"),
                        RestrictedProbe.class);

        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).containsExactly("true", OPENED);
    }

    /** As in a program that only reads and writes records. */
    @Test
    void flinkCoreAloneIsEnough() throws Exception {
        List<String> core = ForkedJvm.withoutLog4j();
        assertThat(core.removeIf(entry -> new File(entry).getName().startsWith("flink-runtime")))
                .isTrue();
        ForkedJvm.Result result = ForkedJvm.runOn(core, List.of(), RestrictedProbe.class);

        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers()).containsExactly("true", OPENED);
    }

    /** Stock's views do not load without it either. */
    @Test
    void withoutUnsafeFlinkItselfDoesNotStart() throws Exception {
        ForkedJvm.Result result =
                ForkedJvm.run(List.of("--limit-modules=java.base"), RestrictedProbe.class);

        assertThat(result.code).isNotZero();
        assertThat(result.output)
                .contains("sun/misc/Unsafe", "org.apache.flink.core.memory.MemoryUtils");
        assertThat(result.answers()).isEmpty();
    }

    private static boolean isWithoutSecurityManager(ForkedJvm.Result result) {
        boolean newer = Runtime.version().feature() > LAST_WITH_SECURITY_MANAGER;
        if (newer) {
            assertThat(result.code).isNotZero();
            assertThat(result.output).contains("Enabling a Security Manager is not supported");
        }
        return newer;
    }

    /** All permissions for everybody but the woven classes and ours, which get those named. */
    private ForkedJvm.Result runUnder(String... permissions)
            throws IOException, InterruptedException {
        List<String> policy = new ArrayList<>();
        for (String entry : ForkedJvm.classPath()) {
            if (!entry.contains("woven")) {
                Path path = Path.of(entry).toAbsolutePath();
                String suffix = Files.isDirectory(path) ? "/-" : "";
                policy.add("grant codeBase \"file:" + path + suffix + "\" {");
                policy.add("  permission java.security.AllPermission;\n};");
            }
        }
        // Stock's views ask for Unsafe themselves, and ours are woven from them.
        policy.add(
                "grant { permission java.lang.RuntimePermission"
                        + " \"accessClassInPackage.sun.misc\"; };");
        policy.add("grant {\n" + String.join("\n", permissions) + "\n};");
        Path file = Files.write(folder.resolve("policy"), policy);
        return ForkedJvm.run(
                List.of("-Djava.security.manager", "-Djava.security.policy==" + file),
                RestrictedProbe.class);
    }
}
