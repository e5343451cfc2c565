// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * How far a soak test came, in a file that is replaced as a whole: a kill at any moment leaves the
 * old content or the new.
 */
final class SoakState {

    private static final String DONE = "done";
    private static final String SECONDS = "seconds";
    private static final String VERDICT = "verdict";
    private static final String FAILING_CASE = "failing-case";
    private static final String FAILURE = "failure";

    /** How a soak test ended, or that it has not. */
    enum Verdict {
        RUNNING,
        PASSED,
        FAILED
    }

    /** What is tested: nothing of it may change between a kill and the continuation. */
    final Map<String, String> plan;

    /** All cases below this index are done. */
    final long done;

    /** Time spent so far, over all continuations. */
    final double seconds;

    final Verdict verdict;

    /** Index of the first failing case, -1 when there is none. */
    final long failingCase;

    /** What the first failing case did; empty when there is none. */
    final String failure;

    private SoakState(
            Map<String, String> plan,
            long done,
            double seconds,
            Verdict verdict,
            long failingCase,
            String failure) {
        this.plan = plan;
        this.done = done;
        this.seconds = seconds;
        this.verdict = verdict;
        this.failingCase = failingCase;
        this.failure = failure;
    }

    static SoakState begin(Map<String, String> plan) {
        return new SoakState(plan, 0, 0, Verdict.RUNNING, -1, "");
    }

    SoakState advanced(long done, double seconds) {
        return new SoakState(plan, done, seconds, Verdict.RUNNING, -1, "");
    }

    SoakState passed() {
        return new SoakState(plan, done, seconds, Verdict.PASSED, -1, "");
    }

    SoakState failed(long index, String what) {
        return new SoakState(plan, done, seconds, Verdict.FAILED, index, what);
    }

    /**
     * The state in the file.
     *
     * @throws IOException when the file cannot be read or is not a state
     */
    static SoakState read(Path file) throws IOException {
        Properties all = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            all.loadFromXML(in);
        }
        Map<String, String> plan = new TreeMap<>();
        for (String name : all.stringPropertyNames()) {
            if (name.startsWith("plan.")) {
                plan.put(name.substring("plan.".length()), all.getProperty(name));
            }
        }
        try {
            return new SoakState(
                    plan,
                    Long.parseLong(all.getProperty(DONE)),
                    Double.parseDouble(all.getProperty(SECONDS)),
                    Verdict.valueOf(all.getProperty(VERDICT)),
                    Long.parseLong(all.getProperty(FAILING_CASE)),
                    all.getProperty(FAILURE));
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new IOException(file + " is not the state of a soak test", e);
        }
    }

    /** Replaces the file: written aside, forced to disk, renamed. */
    void write(Path file) throws IOException {
        Properties all = new Properties();
        plan.forEach((name, value) -> all.setProperty("plan." + name, value));
        all.setProperty(DONE, Long.toString(done));
        all.setProperty(SECONDS, Double.toString(seconds));
        all.setProperty(VERDICT, verdict.name());
        all.setProperty(FAILING_CASE, Long.toString(failingCase));
        all.setProperty(FAILURE, failure);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        all.storeToXML(content, null, StandardCharsets.UTF_8);
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try (FileChannel channel =
                FileChannel.open(
                        partial,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
