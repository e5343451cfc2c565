// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main class of the tests in a JVM of its own, on the class path of this one, but for log4j.
 */
public final class ForkedJvm {

    private static final long PATIENCE_MINUTES = 5;

    /** Exit code, and both streams as one text. */
    public static final class Result {

        public final int code;
        public final String output;

        private Result(int code, String output) {
            this.code = code;
            this.output = output;
        }

        /** The lines that are the main class's own, which begin with {@code "= "}. */
        public List<String> answers() {
            List<String> answers = new ArrayList<>();
            for (String line : output.split("\\R")) {
                if (line.startsWith("= ")) {
                    answers.add(line.substring(2));
                }
            }
            return answers;
        }
    }

    private ForkedJvm() {}

    /** The entries of the class path. */
    static List<String> classPath() {
        return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    /** Its entries but for a logger that needs more modules and permissions than Flink's views. */
    static List<String> withoutLog4j() {
        List<String> entries = new ArrayList<>(classPath());
        entries.removeIf(entry -> new File(entry).getName().contains("log4j"));
        return entries;
    }

    /** Runs it to its end, which may be a bad one. */
    public static Result run(List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        return runOn(withoutLog4j(), options, main, arguments);
    }

    /** The same on a class path of its own. */
    static Result runOn(
            List<String> classPath, List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(new File(System.getProperty("java.home"), "bin/java").getPath());
        command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        // They end within a second.
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.add("-Dstock.jars=" + System.getProperty("stock.jars"));
        command.addAll(options);
        command.add("-cp");
        command.add(String.join(File.pathSeparator, classPath));
        command.add(main.getName());
        command.addAll(Arrays.asList(arguments));
        File output = File.createTempFile("forked", ".txt");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output)
                        .start();
        try {
            if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("the forked JVM hangs: " + command);
            }
            byte[] text = java.nio.file.Files.readAllBytes(output.toPath());
            return new Result(process.exitValue(), new String(text, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
            if (!output.delete()) {
                output.deleteOnExit();
            }
        }
    }
}
