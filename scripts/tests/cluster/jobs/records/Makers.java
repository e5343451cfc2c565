// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Who called the constructors of the job's records: a body of Flink's, or generated code. */
final class Makers {

    private static final StackWalker STACK = StackWalker.getInstance();
    private static final Map<String, LongAdder> CALLS = new ConcurrentHashMap<>();

    private Makers() {}

    /** Is called by a constructor. Frames of reflection and of hidden classes are not seen. */
    static void note(String made) {
        String caller =
                STACK.walk(frames -> frames.skip(2).findFirst())
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .orElse("");
        CALLS.computeIfAbsent(made + " by " + caller, each -> new LongAdder()).increment();
    }

    /** Whether what is made of that kind has been made by generated code. */
    static boolean haveSeenGenerated(String made) {
        String ours = made + " by org.apache.flink.boost.records.";
        return CALLS.keySet().stream().anyMatch(call -> call.startsWith(ours));
    }

    /** A line for each caller, with its calls, in {@code makers-<process id>.txt}. */
    static synchronized void write(Path folder) throws IOException {
        Path file = folder.resolve("makers-" + ProcessHandle.current().pid() + ".txt");
        try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(file))) {
            new TreeMap<>(CALLS).forEach((call, times) -> lines.println(call + ": " + times));
        }
    }
}
