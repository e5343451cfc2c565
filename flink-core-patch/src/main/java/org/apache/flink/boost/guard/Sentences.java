// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.boost.guard.classpath.ClassPathEntry;
import org.apache.flink.boost.guard.classpath.Neighbours;
import org.apache.flink.boost.guard.classpath.StockClasses;
import org.apache.flink.boost.guard.classpath.WeaveRecord;

/** What {@link VersionGuard} says of a class path: one sentence each, with what to do. */
final class Sentences {

    /** Makes a jar for classes that no release has. */
    private static final String WEAVE =
            "`flink-boost install FLINK_HOME --weave`, which makes one for these classes";

    /** Finds the jar for the classes that are there, and says when there is none. */
    private static final String INSTALL =
            "`flink-boost install FLINK_HOME`, which puts the jar for these classes there, with"
                    + " --weave one that it makes if no release has them";

    private static final String ARCHIVE =
            "make the archive of classes (-XX:AOTCache, -XX:SharedArchiveFile) anew with this class"
                    + " path";

    /** Of a version that is none of ours so many characters are shown. */
    private static final int LONGEST = 64;

    private final WeaveRecord record;
    private final ClassPathEntry ourJar;

    Sentences(WeaveRecord record, ClassPathEntry ourJar) {
        this.record = record;
        this.ourJar = ourJar;
    }

    /** Whether our classes are inside Flink's jar; a jar of ours alone names our own version. */
    boolean isFlinksOwn() throws IOException {
        return record.flinkVersion().equals(ourJar.implementationVersion());
    }

    /** Whether that is an official release on which the jar was tested. */
    boolean isTested(StockClasses stock) throws IOException {
        String version = version(stock);
        return !record.isForOwnBuild() && version != null && record.wasTestedOn(version);
    }

    private String version(StockClasses stock) throws IOException {
        return isFlinksOwn() ? record.flinkVersion() : stock.version();
    }

    String fits(StockClasses stock) throws IOException {
        String version = version(stock);
        if (record.flinkVersion().equals(version)) {
            return "the class files it replaces are those of this version";
        }
        if (record.isForOwnBuild()) {
            return named(version) + ": the jar was made for the classes of this build";
        }
        return named(version)
                + (version != null && record.wasTestedOn(version)
                        ? ": on the list of tested releases, same classes"
                        : ": not on the list of tested releases, same classes");
    }

    /** One sentence: both versions, which classes differ, and how to come to the right jar. */
    String otherClasses(StockClasses stock) throws IOException {
        StockClasses.Difference first = stock.differing().get(0);
        String version = first.copy().implementationVersion();
        if (record.flinkVersion().equals(version)) {
            return anotherBuild(stock.differing());
        }
        List<String> names = stock.namesOfDiffering();
        return String.format(
                "flink-boost %s is built for Flink %s but found %s in %s, which has another %s: %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                first.copy(),
                String.join(", ", names),
                otherJar());
    }

    /** What to do about other classes than ours were woven from. */
    private String otherJar() {
        return record.isForOwnBuild()
                ? "this jar was made for another build, so run " + WEAVE + ", or " + removal()
                : removal() + ", and run " + INSTALL;
    }

    private String removal() {
        return "remove " + ourJar + " from lib/";
    }

    String otherNeighbour(StockClasses stock, Neighbours.Mismatch mismatch) throws IOException {
        String version = stock.isEmpty() ? ourJar.implementationVersion() : stock.version();
        return String.format(
                "flink-boost %s for Flink %s cannot run in %s: the classes that it replaces are the"
                        + " same, but %s: %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                mismatch,
                isFlinksOwn()
                        ? "put the original " + ourJar + " back"
                        : "remove " + ourJar + " from lib/, or the jar that brings this class");
    }

    private static String named(String version) {
        return version == null ? "a Flink without a version number" : "Flink " + shown(version);
    }

    /** A number of whoever built that Flink, which may hold anything, as a part of one line. */
    private static String shown(String version) {
        String printable = version.replaceAll("[^ -~]", "?");
        return printable.length() > LONGEST ? printable.substring(0, LONGEST) : printable;
    }

    String anotherManifest() throws IOException {
        String version = ourJar.implementationVersion();
        if (record.boostVersion().equals(version)) {
            return withoutStock();
        }
        return String.format(
                "flink-boost %s is built for Flink %s but found %s in %s: put the original jar"
                        + " back, or install the flink-boost jar for %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                ourJar,
                version == null ? "the version in use" : named(version));
    }

    /** Of a jar of ours beside which there is no Flink, or none that may be looked at. */
    private String withoutStock() {
        return String.format(
                "flink-boost %s is built for Flink %s but finds none of the classes that it"
                        + " replaces beside %s: put the jar into lib/ of that Flink, let its"
                        + " classes be read, or remove it.",
                record.boostVersion(), record.flinkVersion(), ourJar);
    }

    /** Where the class loader serves none of the files that it loads classes from. */
    static String nothingToSee() {
        return "flink-boost cannot see its own class files on the class path, and so not find out"
                + " whether it fits this Flink: remove it, let its files be read, or "
                + ARCHIVE
                + ".";
    }

    /** Where a repacked jar has lost what tells which Flink it is for. */
    static String noRecord(ClassPathEntry ourJar) {
        return String.format(
                "%s has classes of flink-boost and no %s, which says what Flink they are for:"
                        + " remove the jar from lib/ or install it anew, and where it was packed"
                        + " into another jar, keep that file.",
                ourJar, WeaveRecord.RESOURCE);
    }

    private String anotherBuild(List<StockClasses.Difference> differing) {
        StockClasses.Difference first = differing.get(0);
        StringBuilder more = new StringBuilder();
        for (StockClasses.Difference other : differing.subList(1, differing.size())) {
            more.append(more.length() == 0 ? "; also " : ", ").append(other.className());
        }
        return String.format(
                "flink-boost %s is built for the official Flink %s but found a rebuild or vendor"
                        + " version of the same number, %s, in %s (SHA-256 of class %s is %s,"
                        + " expected %s%s): %s, run the official Flink %s, or run %s if they do"
                        + " what the official ones do.",
                record.boostVersion(),
                record.flinkVersion(),
                record.flinkVersion(),
                first.copy(),
                first.className(),
                first.found(),
                first.expected(),
                more,
                removal(),
                record.flinkVersion(),
                WEAVE);
    }

    String partlyInUse(Map<String, ClassPathEntry> inFront) throws IOException {
        Map.Entry<String, ClassPathEntry> first = inFront.entrySet().iterator().next();
        return String.format(
                "flink-boost %s for Flink %s can only work as a whole, but %s stands before %s on"
                        + " the class path and its class %s is not patched: take Flink's classes"
                        + " out of %s, or %s.",
                record.boostVersion(),
                record.flinkVersion(),
                first.getValue(),
                ourJar,
                first.getKey(),
                first.getValue(),
                isFlinksOwn()
                        ? "put the original " + ourJar + " back"
                        : "remove " + ourJar + " from lib/");
    }

    String unused(Collection<ClassPathEntry> inFront) {
        Set<String> jars = new LinkedHashSet<>();
        inFront.forEach(jar -> jars.add(jar.toString()));
        boolean one = jars.size() == 1;
        return String.format(
                "%s %s before %s on the class path and %s the classes that it replaces, so that"
                        + " stock's code runs",
                String.join(" and ", jars),
                one ? "stands" : "stand",
                ourJar,
                one ? "brings" : "bring");
    }

    /** Of classes that the class path has in our jar and the JVM has not. */
    String partlyLoaded(Map<String, String> others) throws IOException {
        Map.Entry<String, String> first = others.entrySet().iterator().next();
        return String.format(
                "flink-boost %s for Flink %s can only work as a whole, but its class %s was loaded"
                        + " from %s, not from %s: %s, or take out the Java agent that brings it%s.",
                record.boostVersion(),
                record.flinkVersion(),
                first.getKey(),
                first.getValue(),
                ourJar,
                ARCHIVE,
                isFlinksOwn() ? "" : ", or " + removal());
    }

    String notLoaded(Collection<String> sources) {
        return String.format(
                "the classes that it replaces were loaded from %s, not from %s, so that stock's"
                        + " code runs: %s",
                String.join(" and ", new LinkedHashSet<>(sources)), ourJar, ARCHIVE);
    }

    /** Where the code that asks is itself of a jar that the class path does not have. */
    static String otherGuard(String source, ClassPathEntry ourJar) {
        return String.format(
                "flink-boost runs from %s, but the class path has %s: %s.",
                source, ourJar, ARCHIVE);
    }

    String oldJava(String javaVersion) {
        return String.format(
                "flink-boost %s for Flink %s needs Java 9 or newer but found Java %s: run Flink on"
                        + " a newer Java, or remove %s from lib/.",
                record.boostVersion(), record.flinkVersion(), javaVersion, ourJar);
    }

    String manifest() {
        return "the manifest of " + ourJar + " names this version";
    }

    /** Why a family beside strings is off; each a part of a sentence. */
    static String familyInFront(String className, ClassPathEntry front, ClassPathEntry ourJar) {
        return String.format(
                "%s stands before %s on the class path and its class %s is not patched: take"
                        + " Flink's classes out of %s",
                front, ourJar, className, front);
    }

    static String familyDiffers(String className, ClassPathEntry copy, WeaveRecord record) {
        return String.format(
                "%s has another %s than Flink %s, and stays in use",
                copy, className, record.flinkVersion());
    }

    static String familyOfNewerJava(String javaVersion, int first) {
        return String.format(
                "Java %s is too old for them, from %d on they run", javaVersion, first);
    }

    static String familyLoaded(String className, String source, ClassPathEntry ourJar) {
        return String.format(
                "its class %s was loaded from %s, not from %s: %s",
                className, source, ourJar, ARCHIVE);
    }
}
