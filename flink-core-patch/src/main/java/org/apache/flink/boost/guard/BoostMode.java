// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/**
 * Whether the patched methods run our code or stock's; decided once, when this class is loaded.
 *
 * <p>Woven bytecode reads {@link #ENABLED} on every call, so it is a static final of its own class
 * that the compiler folds away. Its initialiser does not throw, or the reason would be lost. A
 * refusal is carried out by {@link GuardFileSystemFactory}, which Flink's own processes ask first,
 * and in other programs by the woven classes.
 */
public final class BoostMode {

    /** Whether a process may start. */
    private enum Start {
        ALLOWED,
        WRONG_VERSION,
        UNKNOWN_VALUE
    }

    /** {@code -Dflink.boost.mode=off} runs stock's code without removing the jar. */
    public static final String PROPERTY = "flink.boost.mode";

    private static final BoostMode CURRENT = of(VersionGuard.verdict(), property());

    private static final Announcement ANNOUNCEMENT = new Announcement(CURRENT);

    /** True when patched methods run our code. */
    public static final boolean ENABLED = CURRENT.enabled;

    private final Verdict verdict;
    private final Start start;
    private final boolean enabled;
    private final String reason;

    private BoostMode(Verdict verdict, Start start, boolean enabled, String reason) {
        this.verdict = verdict;
        this.start = start;
        this.enabled = enabled;
        this.reason = reason;
    }

    /** Why {@link #ENABLED} has its value, in one sentence or part of one. */
    public static String reason() {
        return CURRENT.reason;
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
    }

    /**
     * The mode for a verdict and the value of {@link #PROPERTY}, which may be null.
     *
     * <p>The switch does not overrule a wrong version: stock's bodies in our jar are those of the
     * version it was woven for. Switched off, it does not matter that only some of them are used.
     */
    static BoostMode of(Verdict verdict, String property) {
        if ("off".equals(property) && verdict.fitsSwitchedOff()) {
            String reason = "switched off by -D" + PROPERTY + "=off";
            return new BoostMode(verdict, Start.ALLOWED, false, reason);
        }
        if (!verdict.fits()) {
            return new BoostMode(verdict, Start.WRONG_VERSION, false, verdict.sentence());
        }
        if (property == null || property.equals("on")) {
            return new BoostMode(verdict, Start.ALLOWED, verdict.inUse(), verdict.sentence());
        }
        String sentence =
                String.format(
                        "-D%s=%s is neither 'on' nor 'off': correct it in Flink's JVM options, or"
                                + " remove it to leave flink-boost on.",
                        PROPERTY, property);
        return new BoostMode(verdict, Start.UNKNOWN_VALUE, false, sentence);
    }

    /** True when nobody switched our code off and it cannot run: somebody should know. */
    boolean isMissed() {
        return start == Start.ALLOWED && !enabled && reason.equals(verdict.sentence());
    }

    boolean enabled() {
        return enabled;
    }

    /** A new error that ends the process, or null when it may run. */
    InternalError refusal() {
        switch (start) {
            case WRONG_VERSION:
                return new WrongFlinkVersionError(reason);
            case UNKNOWN_VALUE:
                return new UnknownModeError(reason);
            default:
                return null;
        }
    }

    /** One line for the log: versions, mode, reason. */
    String describe() {
        return String.format(
                "flink-boost %s for Flink %s: mode %s, %s",
                verdict.boostVersion(), verdict.flinkVersion(), enabled ? "on" : "off", reason);
    }

    private static String property() {
        try {
            return System.getProperty(PROPERTY);
        } catch (SecurityException e) {
            return null;
        }
    }
}
