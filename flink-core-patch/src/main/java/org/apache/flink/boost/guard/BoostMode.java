// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Map;
import org.apache.flink.boost.guard.Verdict.OfFamily;
import org.apache.flink.boost.strings.FirstString;

/**
 * What is decided for a process: whether it may start, and for each family whether our code runs or
 * stock's. It is decided once, when this class is loaded.
 *
 * <p>A refusal is carried out by {@link GuardFileSystemFactory}, which Flink's own processes ask
 * first, and in other programs by the woven classes.
 */
public final class BoostMode {

    /** Whether a process may start. */
    private enum Start {
        ALLOWED,
        WRONG_VERSION,
        UNKNOWN_VALUE
    }

    /** {@code -Dflink.boost.mode=off} runs stock's code without removing the jar. */
    public static final String PROPERTY = Switches.MODE;

    /** What has been checked of records, by lines; "" before that, and none where nothing is. */
    public static final String CHECKED = "flink.boost.records.checked";

    private static final BoostMode CURRENT = of(VersionGuard.verdict(), Switches.ofThisProcess());

    private static final Announcement ANNOUNCEMENT = new Announcement(CURRENT);

    /** True when the patched methods of strings run our code. */
    public static final boolean ENABLED = isOn(Switches.STRINGS);

    /** True when an operator asks for each record that ours moves to be held against stock's. */
    public static final boolean CHECKS_RECORDS = CURRENT.checksRecords();

    private final Verdict verdict;
    private final Switches switches;
    private final Start start;
    private final String sentence;

    private BoostMode(Verdict verdict, Switches switches, Start start, String sentence) {
        this.verdict = verdict;
        this.switches = switches;
        this.start = start;
        this.sentence = sentence;
    }

    /** Whether our code of a family runs in this process. */
    static boolean isOn(String family) {
        return CURRENT.runs(family);
    }

    /** Why strings are on or off, in one sentence or part of one. */
    public static String reason() {
        return CURRENT.sentence;
    }

    /**
     * Says once in this process what was decided. Each woven class calls it when it is initialised:
     * a program that is none of Flink's own may never ask for file systems.
     *
     * @throws WrongFlinkVersionError when not even stock's bodies in the woven classes are those of
     *     this Flink. Where they are, they run.
     */
    public static void require() {
        ANNOUNCEMENT.tell();
        if (!CURRENT.verdict.fitsSwitchedOff()) {
            throw CURRENT.refusal();
        }
    }

    /** Says the same, and throws the refusal of a process of Flink's own if there is one. */
    static void requireStart() {
        ANNOUNCEMENT.tell();
        InternalError refusal = CURRENT.refusal();
        if (refusal != null) {
            throw refusal;
        }
        if (Families.STRINGS) {
            FirstString.prepare();
        }
        if (CHECKS_RECORDS) {
            tellThatNothingIsCheckedYet();
        }
    }

    private static void tellThatNothingIsCheckedYet() {
        try {
            if (System.getProperty(CHECKED) == null) {
                System.setProperty(CHECKED, "");
            }
        } catch (SecurityException e) {
            // Then the log alone tells what is checked.
        }
    }

    /**
     * The mode for a verdict and what an operator switched.
     *
     * <p>A switch does not overrule a wrong version: stock's bodies in our jar are those of the
     * version it was woven for. Switched off, it does not matter that only some of them are used.
     */
    static BoostMode of(Verdict verdict, Switches switches) {
        String off = switches.offBy(Switches.STRINGS);
        if (!verdict.fits() && (off == null || !verdict.fitsSwitchedOff())) {
            return new BoostMode(verdict, switches, Start.WRONG_VERSION, verdict.sentence());
        }
        String problem = switches.problem();
        if (problem != null) {
            return new BoostMode(verdict, switches, Start.UNKNOWN_VALUE, problem);
        }
        BoostMode mode =
                new BoostMode(
                        verdict,
                        switches,
                        Start.ALLOWED,
                        off == null ? verdict.sentence() : switchedOff(off));
        String missed = switches.isStrict() ? mode.missedFamily() : null;
        return missed == null
                ? mode
                : new BoostMode(verdict, switches, Start.WRONG_VERSION, mode.refusing(missed));
    }

    /** The first family that nobody switched off and that cannot run; null where there is none. */
    private String missedFamily() {
        for (Map.Entry<String, OfFamily> family : verdict.families().entrySet()) {
            if (family.getValue().isMissed() && switches.offBy(family.getKey()) == null) {
                return family.getKey();
            }
        }
        return null;
    }

    private String refusing(String family) {
        return String.format(
                "flink-boost %s for Flink %s cannot run its %s, and -D%s=true asks for all: %s.",
                verdict.boostVersion(),
                verdict.flinkVersion(),
                family,
                Switches.STRICT,
                verdict.families().get(family).sentence());
    }

    private static String switchedOff(String option) {
        return "switched off by " + option;
    }

    /** True when nobody switched a family off and it cannot run: somebody should know. */
    boolean isMissed() {
        return start == Start.ALLOWED && missedFamily() != null;
    }

    /** Whether our code of a family runs: none does without that of strings. */
    boolean runs(String family) {
        OfFamily verdictOnIt = verdict.families().get(family);
        return start == Start.ALLOWED
                && verdictOnIt != null
                && verdictOnIt.fits()
                && switches.offBy(family) == null
                && (family.equals(Switches.STRINGS) || runs(Switches.STRINGS));
    }

    /** Whether ours of records are to be held against stock's. */
    boolean checksRecords() {
        return runs(Switches.RECORDS) && switches.checkingRecords() != null;
    }

    /** A new error that ends the process, or null when it may run. */
    InternalError refusal() {
        switch (start) {
            case WRONG_VERSION:
                return new WrongFlinkVersionError(sentence);
            case UNKNOWN_VALUE:
                return new UnknownModeError(sentence);
            default:
                return null;
        }
    }

    /** One line for the log: versions, mode, reason; then the other families that the jar has. */
    String describe() {
        StringBuilder others = new StringBuilder();
        for (String family : verdict.families().keySet()) {
            if (start == Start.ALLOWED
                    && !family.equals(Switches.STRINGS)
                    && !switches.areAllOff()) {
                others.append("; ").append(describe(family));
            }
        }
        return String.format(
                "flink-boost %s for Flink %s: mode %s, %s%s",
                verdict.boostVersion(),
                verdict.flinkVersion(),
                runs(Switches.STRINGS) ? "on" : "off",
                sentence,
                others);
    }

    private String describe(String family) {
        if (!runs(family)) {
            return family + " off, " + whyOff(family);
        }
        boolean checks = family.equals(Switches.RECORDS) && checksRecords();
        return family + " on" + (checks ? ", checked by " + switches.checkingRecords() : "");
    }

    private String whyOff(String family) {
        String off = switches.offBy(family);
        if (off != null) {
            return switchedOff(off);
        }
        OfFamily verdictOnIt = verdict.families().get(family);
        return verdictOnIt.fits() && !family.equals(Switches.STRINGS)
                ? OfFamily.WITHOUT_STRINGS
                : verdictOnIt.sentence();
    }

    /**
     * What was decided, for whoever asks before a process starts: lines of words with tabs between
     * them. First the refusal, which is empty when a process starts; then for each family of the
     * jar its name, {@code on}, {@code off} or {@code missed}, and why it is not on.
     */
    public static String report() {
        InternalError refusal = CURRENT.refusal();
        StringBuilder lines = new StringBuilder(refusal == null ? "" : refusal.getMessage());
        for (Map.Entry<String, OfFamily> family : CURRENT.verdict.families().entrySet()) {
            String name = family.getKey();
            boolean on = CURRENT.runs(name);
            boolean missed = family.getValue().isMissed() && CURRENT.switches.offBy(name) == null;
            lines.append('\n')
                    .append(name)
                    .append(on ? "\ton\t" : missed ? "\tmissed\t" : "\toff\t")
                    .append(on ? "" : CURRENT.whyOff(name));
        }
        return lines.toString();
    }
}
