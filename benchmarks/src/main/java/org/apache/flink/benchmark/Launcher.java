// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * JMH's command line for parameters with commas in their values, as upstream's network benchmarks
 * have: {@code -p name=100\,100ms} gives one value, where JMH alone would see two.
 */
public final class Launcher {

    private static final String COMMA = "\\,";

    private Launcher() {}

    /** Runs benchmarks; the arguments are JMH's. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        new Runner(options(arguments)).run();
    }

    /** What the arguments say. */
    static Options options(String[] arguments) throws CommandLineOptionException {
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            boolean parameter = arguments[i].equals("-p") && i + 1 < arguments.length;
            if (parameter && arguments[i + 1].contains(COMMA)) {
                String[] pair = arguments[++i].split("=", 2);
                parameters.put(pair[0], pair[1].replace(COMMA, ","));
            } else {
                others.add(arguments[i]);
            }
        }
        ChainedOptionsBuilder options =
                new OptionsBuilder().parent(new CommandLineOptions(others.toArray(new String[0])));
        parameters.forEach(options::param);
        return options.build();
    }
}
