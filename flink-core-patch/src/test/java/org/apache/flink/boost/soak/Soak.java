// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.boost.jdk.StringAccess;

/**
 * Drives seeded random cases through the woven classes and stock's, side by side, for as long as
 * wanted: {@code flink-boost soak} starts it. Arguments are of the form {@code --cases=1000000}.
 *
 * <p>Ends with 0 when all cases agree, 1 when one does not, 2 when it is called wrongly, 3 when the
 * run cannot go on, and 130 when it was interrupted; the state file then says from where it would
 * continue.
 */
public final class Soak {

    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final int BROKEN = 3;
    private static final int INTERRUPTED = 130;

    private static final long FIRST_SAVE_MILLISECONDS = 250;
    private static final long SAVE_MILLISECONDS = 2000;

    private final SoakCases cases;
    private final Map<String, String> options;
    private final PrintStream out;

    private Soak(SoakCases cases, Map<String, String> options, PrintStream out) {
        this.cases = cases;
        this.options = options;
        this.out = out;
    }

    public static void main(String[] arguments) {
        run(new StringCases(), arguments);
    }

    /** Drives these cases, and ends the process. */
    public static void run(SoakCases cases, String[] arguments) {
        int code;
        try {
            code = new Soak(cases, parse(arguments), System.out).run();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            code = MISUSED;
        } catch (IOException | RuntimeException e) {
            System.err.println("The soak test cannot go on: " + e);
            if (e.getCause() != null) {
                e.getCause().printStackTrace();
            }
            code = BROKEN;
        } catch (InterruptedException e) {
            code = INTERRUPTED;
        }
        System.exit(code);
    }

    private static Map<String, String> parse(String[] arguments) {
        Map<String, String> options = new TreeMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0) {
                throw new IllegalArgumentException(argument + " is not --NAME=VALUE.");
            }
            options.put(argument.substring(2, equals), argument.substring(equals + 1));
        }
        return options;
    }

    private int run() throws IOException, InterruptedException {
        String mode = option("mode", "opened");
        boolean opened = StringAccess.describe().startsWith("string access opened");
        if (opened != mode.equals("opened")) {
            throw new IllegalArgumentException(
                    "The mode " + mode + " was asked for, but this is: " + StringAccess.describe());
        }
        long seed = number("seed", 1);
        if (options.containsKey("case")) {
            return repeat(seed, number("case", 0));
        }
        Path file = Path.of(option("state", "soak.state")).toAbsolutePath();
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel =
                        FileChannel.open(
                                lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock == null) {
                throw new IllegalArgumentException(
                        "Another soak test is using " + file + "; wait for it, or stop it.");
            }
            return soak(file, resumed(file, mode, seed), seed);
        }
    }

    private SoakState resumed(Path file, String mode, long seed) throws IOException {
        Map<String, String> plan = new TreeMap<>();
        plan.put("line", option("line", "unknown"));
        plan.put("family", option("family", "unknown"));
        plan.put("jdk", Runtime.version().toString());
        plan.put("mode", mode);
        plan.put("access", StringAccess.describe());
        plan.put("dropin", option("dropin", "unknown"));
        plan.put("seed", Long.toString(seed));
        plan.put("cases", Long.toString(number("cases", 1_000_000)));
        plan.put("generator", Integer.toString(cases.generator()));
        if (!Files.exists(file)) {
            return SoakState.begin(plan);
        }
        SoakState state = SoakState.read(file);
        for (Map.Entry<String, String> entry : plan.entrySet()) {
            String before = state.plan.get(entry.getKey());
            if (!entry.getValue().equals(before)) {
                throw new IllegalArgumentException(
                        String.format(
                                "%s was begun with %s %s, not %s; finish that run, or begin anew"
                                        + " with --fresh.",
                                file, entry.getKey(), before, entry.getValue()));
            }
        }
        return state;
    }

    private int soak(Path file, SoakState begun, long seed)
            throws IOException, InterruptedException {
        long end = number("cases", 1_000_000);
        int threads = (int) number("threads", Runtime.getRuntime().availableProcessors());
        SoakRun run = new SoakRun("seed " + seed, cases.block(), begun.done, end, checks(seed));
        boolean terminal = "true".equals(option("terminal", ""));
        SoakProgress progress = new SoakProgress(out, cases.name(), begun.done, end, terminal);
        Thread interrupt = new Thread(() -> save(file, begun, run, progress));
        Runtime.getRuntime().addShutdownHook(interrupt);
        endWithStandardInput();
        begun.write(file);
        run.start(threads);
        long pause = FIRST_SAVE_MILLISECONDS;
        while (!run.join(pause)) {
            progress.show(run.done());
            save(file, begun, run, progress);
            pause = Math.min(2 * pause, SAVE_MILLISECONDS);
        }
        Runtime.getRuntime().removeShutdownHook(interrupt);
        SoakState ended = begun.advanced(run.done(), begun.seconds + progress.seconds());
        ended =
                run.failure() == null
                        ? ended.passed()
                        : ended.failed(run.failingCase(), run.failure());
        ended.write(file);
        progress.end(ended);
        return run.failure() == null ? PASSED : FAILED;
    }

    private static synchronized void save(
            Path file, SoakState begun, SoakRun run, SoakProgress progress) {
        try {
            begun.advanced(run.done(), begun.seconds + progress.seconds()).write(file);
        } catch (IOException e) {
            System.err.println("The state of the soak test was not saved: " + e);
        }
    }

    /** Checks one case and says what it is. */
    private int repeat(long seed, long index) {
        out.printf("Case %d of seed %d: %s%n", index, seed, cases.describe(seed, index));
        try {
            checks(seed).get().check(index);
            out.println("Patched and stock agree.");
            return PASSED;
        } catch (Mismatch e) {
            out.println(e.getMessage());
            return FAILED;
        } catch (Exception e) {
            throw new IllegalStateException("case " + index + " of seed " + seed, e);
        }
    }

    private Supplier<SoakCases.Check> checks(long seed) {
        return () -> cases.checkOf(seed, option("break", ""));
    }

    /** So that a caller who is gone, even by kill -9, leaves no soak test behind. */
    private void endWithStandardInput() {
        if (!"true".equals(option("until-input-ends", ""))) {
            return;
        }
        Thread watch =
                new Thread(
                        () -> {
                            try {
                                while (System.in.read() >= 0) {
                                    continue;
                                }
                            } catch (IOException e) {
                                // As good as its end.
                            }
                            System.exit(INTERRUPTED);
                        });
        watch.setDaemon(true);
        watch.start();
    }

    private String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    private long number(String name, long otherwise) {
        String value = option(name, Long.toString(otherwise));
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " " + value + " is not a number.");
        }
    }
}
