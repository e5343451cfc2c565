// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Collections;
import java.util.Set;

/** Whether the woven classes of our jar belong to the Flink on the class path. Immutable. */
public final class Verdict {

    private static final String UNKNOWN = "unknown";

    private final boolean fits;
    private final boolean fitsSwitchedOff;
    private final boolean inUse;
    private final String boostVersion;
    private final String flinkVersion;
    private final String sentence;
    private final Set<String> families;

    private Verdict(
            boolean fits,
            boolean fitsSwitchedOff,
            boolean inUse,
            String boostVersion,
            String flinkVersion,
            String sentence,
            Set<String> families) {
        this.fits = fits;
        this.fitsSwitchedOff = fitsSwitchedOff;
        this.inUse = inUse;
        this.boostVersion = boostVersion;
        this.flinkVersion = flinkVersion;
        this.sentence = sentence;
        this.families = families;
    }

    static Verdict fits(WeaveRecord record, String sentence) {
        return new Verdict(
                true,
                true,
                true,
                record.boostVersion(),
                record.flinkVersion(),
                sentence,
                record.families());
    }

    /** Every woven class is another jar's, unpatched. */
    static Verdict unused(WeaveRecord record, String sentence) {
        return new Verdict(
                true,
                true,
                false,
                record.boostVersion(),
                record.flinkVersion(),
                sentence,
                record.families());
    }

    /** Some woven classes are another jar's, unpatched, and all are of the right version. */
    static Verdict partlyInUse(WeaveRecord record, String sentence) {
        return new Verdict(
                false,
                true,
                false,
                record.boostVersion(),
                record.flinkVersion(),
                sentence,
                record.families());
    }

    static Verdict refused(WeaveRecord record, String sentence) {
        return new Verdict(
                false,
                false,
                false,
                record.boostVersion(),
                record.flinkVersion(),
                sentence,
                record.families());
    }

    static Verdict refused(String sentence) {
        return new Verdict(false, false, false, UNKNOWN, UNKNOWN, sentence, Collections.emptySet());
    }

    /** True when the woven classes may run; also true when others' are used in their place. */
    public boolean fits() {
        return fits;
    }

    /** True when stock's bodies in the woven classes may run, with ours switched off. */
    public boolean fitsSwitchedOff() {
        return fitsSwitchedOff;
    }

    /** False when no woven class would be loaded, so that there is nothing to switch on. */
    public boolean inUse() {
        return inUse;
    }

    /** The version of flink-boost, or "unknown" when its jar does not say. */
    public String boostVersion() {
        return boostVersion;
    }

    /** The Flink version that the classes were woven for, or "unknown" when the jar is silent. */
    public String flinkVersion() {
        return flinkVersion;
    }

    /** One sentence: what was found and, when it does not fit, what to do. */
    public String sentence() {
        return sentence;
    }

    /** The families of the classes that the jar has; none when it does not say. */
    Set<String> families() {
        return families;
    }

    @Override
    public String toString() {
        return (fits ? "fits: " : "does not fit: ") + sentence;
    }
}
