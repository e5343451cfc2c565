// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Decides whether the woven classes of our jar belong to the Flink they run in.
 *
 * <p>A woven class shadows the class file it was made from. That file is still on the class path,
 * one entry further back, so its SHA-256 tells exactly what we replace. Class files decide, not the
 * number in a manifest: a release that nobody has heard of runs when all of them are equal and the
 * {@linkplain Neighbours classes that ours link to} are as they were, and a vendor's rebuild under
 * an official number does not when one of them differs. Where our classes were put <em>into</em>
 * Flink's jar, the manifest is all that is left to look at.
 *
 * <p>The woven classes rely on each other, so that all of them run or none: a jar in front of ours
 * that has some of them is refused unless ours are switched off, and with all of them in front
 * stock's code runs.
 */
public final class VersionGuard {

    private static final String OWN_CLASS =
            VersionGuard.class.getName().replace('.', '/') + ".class";

    private static final String JAVA_VERSION = "java.specification.version";

    private final ClassLoader loader;
    private final OpenJars jars;
    private final String javaVersion;

    private VersionGuard(ClassLoader loader, OpenJars jars, String javaVersion) {
        this.loader = loader;
        this.jars = jars;
        this.javaVersion = javaVersion;
    }

    /** The verdict on this process, found on the first call and kept. Never throws. */
    public static Verdict verdict() {
        return ThisProcess.VERDICT;
    }

    private static final class ThisProcess {
        static final Verdict VERDICT = check(VersionGuard.class.getClassLoader());
    }

    /** The verdict on the class path of a loader; trouble while looking is a refusal. */
    static Verdict check(ClassLoader loader) {
        return check(loader, javaVersion());
    }

    private static String javaVersion() {
        try {
            return System.getProperty(JAVA_VERSION);
        } catch (SecurityException e) {
            return null;
        }
    }

    /**
     * The verdict on a class path.
     *
     * @param javaVersion as in the system property {@code java.specification.version}; may be null
     */
    static Verdict check(ClassLoader loader, String javaVersion) {
        try (OpenJars jars = new OpenJars()) {
            return new VersionGuard(
                            loader == null ? ClassLoader.getSystemClassLoader() : loader,
                            jars,
                            javaVersion)
                    .check();
        } catch (IOException | RuntimeException e) {
            return Verdict.refused(
                    "flink-boost cannot read the class path to find out whether it fits this Flink"
                            + " ("
                            + e
                            + "): remove the flink-boost jar from lib/, or make all jars"
                            + " readable.");
        }
    }

    private Verdict check() throws IOException {
        List<ClassPathEntry> own = ClassPathEntry.holding(OWN_CLASS, loader, jars);
        if (own.size() > 1) {
            return twoJars(own);
        }
        if (own.isEmpty()) {
            return Verdict.notWoven("no class path entry holds flink-boost");
        }
        ClassPathEntry ourJar = own.get(0);
        byte[] content = ourJar.find(WeaveRecord.RESOURCE);
        if (content == null) {
            return Verdict.notWoven(ourJar + " has no " + WeaveRecord.RESOURCE);
        }
        try {
            return check(ourJar, parse(content));
        } catch (IllegalArgumentException e) {
            return Verdict.refused(
                    String.format(
                            "%s in %s is damaged (%s): remove the jar from lib/, or install it"
                                    + " anew.",
                            WeaveRecord.RESOURCE, ourJar, e.getMessage()));
        }
    }

    private Verdict check(ClassPathEntry ourJar, WeaveRecord record) throws IOException {
        // Java 8 calls itself 1.8, and no other that Flink runs on begins so.
        if (javaVersion != null && javaVersion.startsWith("1.")) {
            return Verdict.refused(record, oldJava(record, ourJar));
        }
        StockClasses stock = StockClasses.find(record, ourJar, loader, jars);
        if (!stock.differing().isEmpty()) {
            return Verdict.refused(record, otherClasses(record, ourJar, stock));
        }
        Verdict verdict =
                stock.isEmpty() ? checkManifest(ourJar, record) : checkOrder(ourJar, record, stock);
        if (!verdict.fits()) {
            return verdict;
        }
        Neighbours.Mismatch mismatch =
                new Neighbours(loader, jars, stock.isOnlyInPart()).check(record.links());
        return mismatch == null
                ? verdict
                : Verdict.refused(record, otherNeighbour(record, ourJar, stock, mismatch));
    }

    private Verdict checkOrder(ClassPathEntry ourJar, WeaveRecord record, StockClasses stock)
            throws IOException {
        Map<String, ClassPathEntry> inFront = stock.inFront();
        if (inFront.isEmpty()) {
            return Verdict.fits(record, fits(record, ourJar, stock));
        }
        return inFront.size() == record.stockChecksums().size()
                ? Verdict.unused(record, unused(ourJar, inFront.values()))
                : Verdict.partlyInUse(record, partlyInUse(record, ourJar, inFront));
    }

    private static String fits(WeaveRecord record, ClassPathEntry ourJar, StockClasses stock)
            throws IOException {
        String version = isFlinksOwn(ourJar, record) ? record.flinkVersion() : stock.version();
        if (record.flinkVersion().equals(version)) {
            return "the class files it replaces are those of this version";
        }
        return named(version)
                + (version != null && record.wasTestedOn(version)
                        ? ": on the list of tested releases, same classes"
                        : ": not on the list of tested releases, same classes");
    }

    /** One sentence: both versions, which classes differ, and the jar for them if there is one. */
    private static String otherClasses(
            WeaveRecord record, ClassPathEntry ourJar, StockClasses stock) throws IOException {
        StockClasses.Difference first = stock.differing().get(0);
        String version = first.copy().implementationVersion();
        if (record.flinkVersion().equals(version)) {
            return anotherBuild(record, ourJar, stock.differing());
        }
        List<String> names = stock.namesOfDiffering();
        String line = stock.otherLine();
        return String.format(
                "flink-boost %s is built for Flink %s but found %s in %s, which has another %s:"
                        + " remove %s from lib/, and %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                first.copy(),
                String.join(", ", names),
                ourJar,
                line == null
                        ? "look for a flink-boost that has a jar for these classes; this one knows"
                                + " of none"
                        : "install flink-boost-"
                                + line
                                + "-"
                                + record.boostVersion()
                                + ".jar, which fits");
    }

    private static String otherNeighbour(
            WeaveRecord record,
            ClassPathEntry ourJar,
            StockClasses stock,
            Neighbours.Mismatch mismatch)
            throws IOException {
        String version = stock.isEmpty() ? ourJar.implementationVersion() : stock.version();
        return String.format(
                "flink-boost %s for Flink %s cannot run in %s: the classes that it replaces are the"
                        + " same, but %s: %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                mismatch,
                isFlinksOwn(ourJar, record)
                        ? "put the original " + ourJar + " back"
                        : "remove " + ourJar + " from lib/, or the jar that brings this class");
    }

    private static String named(String version) {
        return version == null ? "a Flink without a version number" : "Flink " + version;
    }

    private static Verdict checkManifest(ClassPathEntry ourJar, WeaveRecord record)
            throws IOException {
        return isFlinksOwn(ourJar, record)
                ? Verdict.fits(record, "the manifest of " + ourJar + " names this version")
                : Verdict.refused(record, anotherManifest(record, ourJar));
    }

    /** Whether our classes are inside Flink's jar; a jar of ours alone names our own version. */
    private static boolean isFlinksOwn(ClassPathEntry ourJar, WeaveRecord record)
            throws IOException {
        return record.flinkVersion().equals(ourJar.implementationVersion());
    }

    private static String anotherManifest(WeaveRecord record, ClassPathEntry ourJar)
            throws IOException {
        String version = ourJar.implementationVersion();
        return String.format(
                "flink-boost %s is built for Flink %s but found %s in %s: put the original jar"
                        + " back, or install the flink-boost jar for %s.",
                record.boostVersion(),
                record.flinkVersion(),
                named(version),
                ourJar,
                version == null ? "the version in use" : "Flink " + version);
    }

    private static String anotherBuild(
            WeaveRecord record, ClassPathEntry ourJar, List<StockClasses.Difference> differing) {
        StockClasses.Difference first = differing.get(0);
        StringBuilder more = new StringBuilder();
        for (StockClasses.Difference other : differing.subList(1, differing.size())) {
            more.append(more.length() == 0 ? "; also " : ", ").append(other.className());
        }
        return String.format(
                "flink-boost %s is built for the official Flink %s but found a rebuild or vendor"
                        + " version of the same number, %s, in %s (SHA-256 of class %s is %s,"
                        + " expected %s%s): remove %s from lib/, or run the official Flink %s.",
                record.boostVersion(),
                record.flinkVersion(),
                record.flinkVersion(),
                first.copy(),
                first.className(),
                first.found(),
                first.expected(),
                more,
                ourJar,
                record.flinkVersion());
    }

    private static String partlyInUse(
            WeaveRecord record, ClassPathEntry ourJar, Map<String, ClassPathEntry> inFront)
            throws IOException {
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
                isFlinksOwn(ourJar, record)
                        ? "put the original " + ourJar + " back"
                        : "remove " + ourJar + " from lib/");
    }

    private static String unused(ClassPathEntry ourJar, Collection<ClassPathEntry> inFront) {
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

    private String oldJava(WeaveRecord record, ClassPathEntry ourJar) {
        return String.format(
                "flink-boost %s for Flink %s needs Java 9 or newer but found Java %s: run Flink on"
                        + " a newer Java, or remove %s from lib/.",
                record.boostVersion(), record.flinkVersion(), javaVersion, ourJar);
    }

    private static Verdict twoJars(List<ClassPathEntry> own) throws IOException {
        StringBuilder jars = new StringBuilder();
        for (ClassPathEntry jar : own) {
            jars.append(jars.length() == 0 ? "" : " and ").append(jar);
            byte[] content = jar.find(WeaveRecord.RESOURCE);
            if (content != null) {
                jars.append(" (built for Flink ").append(flinkVersion(content)).append(')');
            }
        }
        return Verdict.refused(
                "More than one flink-boost jar is on the class path, "
                        + jars
                        + ": keep only the one for your Flink version in lib/.");
    }

    private static String flinkVersion(byte[] content) throws IOException {
        try {
            return parse(content).flinkVersion();
        } catch (IllegalArgumentException damaged) {
            return "unknown";
        }
    }

    private static WeaveRecord parse(byte[] content) throws IOException {
        Properties properties = new Properties();
        properties.load(new ByteArrayInputStream(content));
        return WeaveRecord.parse(properties);
    }
}
