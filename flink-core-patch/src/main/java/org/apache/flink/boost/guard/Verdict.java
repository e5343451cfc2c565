// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/** Whether the woven classes of our jar belong to the Flink on the class path. Immutable. */
public final class Verdict {

    private static final String UNKNOWN = "unknown";

    private final boolean fits;
    private final String boostVersion;
    private final String flinkVersion;
    private final String sentence;

    private Verdict(boolean fits, String boostVersion, String flinkVersion, String sentence) {
        this.fits = fits;
        this.boostVersion = boostVersion;
        this.flinkVersion = flinkVersion;
        this.sentence = sentence;
    }

    static Verdict fits(WeaveRecord record, String sentence) {
        return new Verdict(true, record.boostVersion(), record.flinkVersion(), sentence);
    }

    static Verdict refused(WeaveRecord record, String sentence) {
        return new Verdict(false, record.boostVersion(), record.flinkVersion(), sentence);
    }

    static Verdict refused(String sentence) {
        return new Verdict(false, UNKNOWN, UNKNOWN, sentence);
    }

    static Verdict notWoven(String sentence) {
        return new Verdict(true, UNKNOWN, UNKNOWN, sentence);
    }

    /** True when the woven classes may run; also true when there are none. */
    public boolean fits() {
        return fits;
    }

    /** The version of flink-boost, or "unknown" when nothing is woven. */
    public String boostVersion() {
        return boostVersion;
    }

    /** The Flink version that the classes were woven for, or "unknown" when nothing is woven. */
    public String flinkVersion() {
        return flinkVersion;
    }

    /** One sentence: what was found and, when it does not fit, what to do. */
    public String sentence() {
        return sentence;
    }

    @Override
    public String toString() {
        return (fits ? "fits: " : "does not fit: ") + sentence;
    }
}
