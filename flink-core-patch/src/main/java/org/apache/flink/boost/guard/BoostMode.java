// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/**
 * Whether the patched methods run our code or stock's; decided once, when this class is loaded.
 *
 * <p>Woven bytecode reads {@link #ENABLED} on every call, so it is a static final of its own class
 * that the compiler folds away. Nothing here throws: a throw from an initialiser would hit
 * whichever thread came first. A refusal is carried out by {@link GuardFileSystemFactory}.
 */
public final class BoostMode {

    /** {@code -Dflink.boost.mode=off} runs stock's code without removing the jar. */
    public static final String PROPERTY = "flink.boost.mode";

    private static final BoostMode CURRENT = of(VersionGuard.verdict(), property());

    /** True when patched methods run our code. */
    public static final boolean ENABLED = CURRENT.enabled;

    private final Verdict verdict;
    private final boolean valueKnown;
    private final boolean enabled;
    private final String reason;

    private BoostMode(Verdict verdict, boolean valueKnown, boolean enabled, String reason) {
        this.verdict = verdict;
        this.valueKnown = valueKnown;
        this.enabled = enabled;
        this.reason = reason;
    }

    /** Why {@link #ENABLED} has its value, in one sentence or part of one. */
    public static String reason() {
        return CURRENT.reason;
    }

    static BoostMode current() {
        return CURRENT;
    }

    /**
     * The mode for a verdict and the value of {@link #PROPERTY}, which may be null.
     *
     * <p>The switch does not overrule the verdict: stock's bodies in our jar are those of the
     * version it was woven for.
     */
    static BoostMode of(Verdict verdict, String property) {
        if (!verdict.fits()) {
            return new BoostMode(verdict, true, false, verdict.sentence());
        }
        if (property == null || property.equals("on")) {
            return new BoostMode(verdict, true, true, verdict.sentence());
        }
        if (property.equals("off")) {
            return new BoostMode(verdict, true, false, "switched off by -D" + PROPERTY + "=off");
        }
        String sentence =
                String.format(
                        "-D%s=%s is neither 'on' nor 'off': correct it in Flink's JVM options, or"
                                + " remove it to leave flink-boost on.",
                        PROPERTY, property);
        return new BoostMode(verdict, false, false, sentence);
    }

    boolean enabled() {
        return enabled;
    }

    /** A new error that ends the process, or null when it may run. */
    InternalError refusal() {
        if (!verdict.fits()) {
            return new WrongFlinkVersionError(reason);
        }
        return valueKnown ? null : new UnknownModeError(reason);
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
