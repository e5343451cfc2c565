// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Which classes of a job's jar are moved by generated classes, and why others are not: {@code
 * flink-boost doctor --job-classes} starts it and tells. Arguments: the file to write, the folder
 * of Flink's configuration, beginnings of class names with commas between, or nothing, the job's
 * jar, and the jars that lie inside of it.
 *
 * <p>The class path is that of a cluster, with this program behind it. The report has a line for
 * each finding, its parts divided by tabs: a family of {@link BoostMode#report}, or a type.
 */
public final class JobCheck {

    private static final long TELL_NANOS = 1_000_000_000;

    private JobCheck() {}

    public static void main(String[] arguments) {
        int code = 1;
        try {
            List<String> beginnings = new ArrayList<>(Arrays.asList(arguments[2].split(",")));
            beginnings.removeIf(String::isEmpty);
            List<Path> jars = new ArrayList<>();
            for (String jar : Arrays.asList(arguments).subList(3, arguments.length)) {
                jars.add(Path.of(jar));
            }
            Configuration configuration = GlobalConfiguration.loadConfiguration(arguments[1]);
            List<String> lines = check(jars, configuration, beginnings, System.out);
            Files.write(Path.of(arguments[0]), lines, StandardCharsets.UTF_8);
            code = 0;
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
        }
        System.out.flush();
        System.err.flush();
        // A thread of the job's or of an agent's would let it run on.
        Runtime.getRuntime().halt(code);
    }

    /**
     * The report.
     *
     * @param progress is told once in a second
     */
    static List<String> check(
            List<Path> jars,
            Configuration configuration,
            List<String> beginnings,
            PrintStream progress)
            throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        String[] report = BoostMode.report().split("\n");
        for (String family : Arrays.asList(report).subList(1, report.length)) {
            lines.add("family\t" + family);
        }
        JobJar job = new JobJar(jars, configuration);
        Thread.currentThread().setContextClassLoader(job.loader());
        JobTypes types = new JobTypes(configuration, job.loader());
        List<String> names = job.names(beginnings);
        long told = System.nanoTime();
        for (int i = 0; i < names.size(); i++) {
            if (System.nanoTime() - told > TELL_NANOS) {
                progress.println(i + " of " + names.size() + " classes");
                told = System.nanoTime();
            }
            String name = names.get(i);
            try {
                Class<?> type = job.load(name);
                if (type != null) {
                    types.addClass(type);
                }
            } catch (InterruptedException | VirtualMachineError e) {
                throw e;
            } catch (Exception | Error e) {
                // One class says nothing of the others, whatever its factory or enums throw.
                types.addUnloaded(name, e);
            }
        }
        for (JobTypes.Entry each : types.entries()) {
            lines.add("type\t" + each);
        }
        return lines;
    }
}
