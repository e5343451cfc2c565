// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The processor and the JVM of a process: those of our tests, or others. */
final class Platform {

    /** Names of the processor that all our tests run on. */
    private static final Set<String> PROCESSORS = new HashSet<>(Arrays.asList("amd64", "x86_64"));

    private final String processor;
    private final String jvm;

    /** As in the system properties {@code os.arch} and {@code java.vm.name}; each may be null. */
    Platform(String processor, String jvm) {
        this.processor = processor;
        this.jvm = jvm;
    }

    static Platform current() {
        try {
            String jvm = System.getProperty("java.vm.name");
            String version = System.getProperty("java.vm.version", "");
            // HotSpot by its name, with another compiler.
            return new Platform(
                    System.getProperty("os.arch"),
                    version.contains("jvmci") ? "GraalVM's " + jvm : jvm);
        } catch (SecurityException e) {
            return new Platform(null, null);
        }
    }

    /** Empty where our tests have run; else the end of a line for the log, with what to do. */
    String describeUntried() {
        boolean isTried = PROCESSORS.contains(processor) && isHotSpot();
        return isTried
                ? ""
                : String.format(
                        "; not tested on %s with %s: run `flink-boost verify FLINK_HOME --job`",
                        named(processor, "an unknown processor"), named(jvm, "an unknown JVM"));
    }

    private boolean isHotSpot() {
        return jvm != null && (jvm.startsWith("OpenJDK ") || jvm.startsWith("Java HotSpot(TM) "));
    }

    private static String named(String name, String otherwise) {
        return name == null ? otherwise : name;
    }
}
