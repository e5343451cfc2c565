// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.boost.guard.classpath.WeaveRecord;

/** Whether the woven classes of our jar belong to the Flink on the class path. Immutable. */
public final class Verdict {

    private static final String UNKNOWN = "unknown";

    private final boolean fits;
    private final boolean fitsSwitchedOff;
    private final String boostVersion;
    private final String flinkVersion;
    private final String sentence;
    private final Map<String, OfFamily> families;

    private Verdict(
            boolean fits,
            boolean fitsSwitchedOff,
            String boostVersion,
            String flinkVersion,
            String sentence,
            Map<String, OfFamily> families) {
        this.fits = fits;
        this.fitsSwitchedOff = fitsSwitchedOff;
        this.boostVersion = boostVersion;
        this.flinkVersion = flinkVersion;
        this.sentence = sentence;
        this.families = families;
    }

    static Verdict fits(WeaveRecord record, String sentence) {
        return of(true, true, record, sentence, OfFamily.ON);
    }

    /** Every woven class is another jar's, unpatched. */
    static Verdict unused(WeaveRecord record, String sentence) {
        return of(true, true, record, sentence, OfFamily.missed(sentence));
    }

    /** Some woven classes are another jar's, unpatched, and all are of the right version. */
    static Verdict partlyInUse(WeaveRecord record, String sentence) {
        return of(false, true, record, sentence, OfFamily.missed(sentence));
    }

    static Verdict refused(WeaveRecord record, String sentence) {
        return of(false, false, record, sentence, OfFamily.off(sentence));
    }

    static Verdict refused(String sentence) {
        return new Verdict(false, false, UNKNOWN, UNKNOWN, sentence, Collections.emptyMap());
    }

    private static Verdict of(
            boolean fits,
            boolean fitsSwitchedOff,
            WeaveRecord record,
            String sentence,
            OfFamily strings) {
        Map<String, OfFamily> families = new LinkedHashMap<>();
        for (String family : record.families()) {
            families.put(family, OfFamily.off(OfFamily.WITHOUT_STRINGS));
        }
        families.put(Switches.STRINGS, strings);
        return new Verdict(
                fits,
                fitsSwitchedOff,
                record.boostVersion(),
                record.flinkVersion(),
                sentence,
                families);
    }

    /** The same with a verdict on a family beside strings. */
    Verdict with(String family, OfFamily verdict) {
        Map<String, OfFamily> more = new LinkedHashMap<>(families);
        more.put(family, verdict);
        return new Verdict(fits, fitsSwitchedOff, boostVersion, flinkVersion, sentence, more);
    }

    /** True when the woven classes may run; also true when others' are used in their place. */
    public boolean fits() {
        return fits;
    }

    /** True when stock's bodies in the woven classes may run, with ours switched off. */
    public boolean fitsSwitchedOff() {
        return fitsSwitchedOff;
    }

    /** False when no woven class of strings would be loaded: there is nothing to switch on. */
    public boolean inUse() {
        return families.getOrDefault(Switches.STRINGS, OfFamily.off("")).fits();
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

    /** The families of the jar's classes in the order in which they are told; none if unknown. */
    Map<String, OfFamily> families() {
        return Collections.unmodifiableMap(families);
    }

    @Override
    public String toString() {
        return (fits ? "fits: " : "does not fit: ") + sentence;
    }

    /** Whether the classes of one family may run our code. Immutable. */
    static final class OfFamily {

        static final OfFamily ON = new OfFamily(true, false, "");

        /** Why a family beside strings is off where they are. */
        static final String WITHOUT_STRINGS = "strings are off";

        private final boolean fits;
        private final boolean missed;
        private final String sentence;

        private OfFamily(boolean fits, boolean missed, String sentence) {
            this.fits = fits;
            this.missed = missed;
            this.sentence = sentence;
        }

        /** Off as it should be, as where there is no Flink that has these classes. */
        static OfFamily off(String sentence) {
            return new OfFamily(false, false, sentence);
        }

        /** Off although these classes are there: somebody should know. */
        static OfFamily missed(String sentence) {
            return new OfFamily(false, true, sentence);
        }

        boolean fits() {
            return fits;
        }

        boolean isMissed() {
            return missed;
        }

        /** Why it is off, as a part of a sentence; empty where it is on. */
        String sentence() {
            return sentence;
        }
    }
}
