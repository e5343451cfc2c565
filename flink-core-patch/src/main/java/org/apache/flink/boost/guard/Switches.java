// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The system properties by which an operator switches our code. Immutable. */
final class Switches {

    /** The family that the others build on: where it does not fit, no process starts. */
    static final String STRINGS = "strings";

    static final String RECORDS = "records";

    /** Every family there is, in the order in which they are told. */
    static final List<String> FAMILIES =
            Collections.unmodifiableList(Arrays.asList(STRINGS, RECORDS));

    /** A third value of the switch of {@link #RECORDS}: on, and held against stock as it runs. */
    private static final String CHECK = "check";

    private static final String PREFIX = "flink.boost.";

    /** {@code on} or {@code off}, for all families at once. */
    static final String MODE = PREFIX + "mode";

    /** {@code true} refuses to start where any family does not fit. */
    static final String STRICT = PREFIX + "strict";

    /**
     * {@code true} looks at the classes that ours link to also in a release that the jar was tested
     * on; {@code install} and {@code doctor} ask so.
     */
    static final String NEIGHBOURS = PREFIX + "neighbours";

    private final Map<String, String> values;

    private Switches(Map<String, String> values) {
        this.values = values;
    }

    /** Those of this process; under a security manager that hides them, none is set. */
    static Switches ofThisProcess() {
        Map<String, String> values = new HashMap<>();
        values.put(MODE, property(MODE));
        values.put(STRICT, property(STRICT));
        values.put(NEIGHBOURS, property(NEIGHBOURS));
        for (String family : FAMILIES) {
            values.put(PREFIX + family, property(PREFIX + family));
        }
        return new Switches(values);
    }

    /** With values by the property's name; what is not there is not set. */
    static Switches of(Map<String, String> values) {
        return new Switches(new HashMap<>(values));
    }

    static Switches none() {
        return of(Collections.emptyMap());
    }

    private static String property(String name) {
        try {
            return System.getProperty(name);
        } catch (SecurityException e) {
            return null;
        }
    }

    /** The property that switches the family off, as an option of the JVM; null when none does. */
    String offBy(String family) {
        for (String name : new String[] {MODE, PREFIX + family}) {
            if ("off".equals(values.get(name))) {
                return "-D" + name + "=off";
            }
        }
        return null;
    }

    /** The option that asks for records to be held against stock's; null when none does. */
    String checkingRecords() {
        String name = PREFIX + RECORDS;
        return CHECK.equals(values.get(name)) ? "-D" + name + "=" + CHECK : null;
    }

    /** True when all families are off at once. */
    boolean areAllOff() {
        return "off".equals(values.get(MODE));
    }

    boolean isStrict() {
        return "true".equals(values.get(STRICT));
    }

    /** Whether neighbours are looked at in every release. */
    boolean asksForNeighbours() {
        return "true".equals(values.get(NEIGHBOURS));
    }

    /** What is wrong with a value, in one sentence with what to do; null when nothing is. */
    String problem() {
        String problem = problem(MODE, "flink-boost on", "on", "off");
        for (String family : FAMILIES) {
            String[] known =
                    family.equals(RECORDS)
                            ? new String[] {"on", "off", CHECK}
                            : new String[] {"on", "off"};
            problem = problem != null ? problem : problem(PREFIX + family, family + " on", known);
        }
        return problem != null
                ? problem
                : problem(STRICT, "a family that does not fit off", "true", "false");
    }

    private String problem(String name, String otherwise, String... known) {
        String value = values.get(name);
        return value == null || Arrays.asList(known).contains(value)
                ? null
                : String.format(
                        "-D%s=%s is %s: correct it in Flink's JVM options, or remove it to leave"
                                + " %s.",
                        name, value, noneOf(known), otherwise);
    }

    private static String noneOf(String... known) {
        return known.length == 2
                ? String.format("neither '%s' nor '%s'", (Object[]) known)
                : "none of '" + String.join("', '", known) + "'";
    }
}
