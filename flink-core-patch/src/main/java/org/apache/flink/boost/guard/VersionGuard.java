// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.flink.boost.guard.classpath.ClassPathEntry;
import org.apache.flink.boost.guard.classpath.LoadedClasses;
import org.apache.flink.boost.guard.classpath.Neighbours;
import org.apache.flink.boost.guard.classpath.OpenJars;
import org.apache.flink.boost.guard.classpath.StockClasses;
import org.apache.flink.boost.guard.classpath.WeaveRecord;

/**
 * Decides whether the woven classes of our jar belong to the Flink they run in.
 *
 * <p>A woven class shadows the class file it was made from. That file is still on the class path,
 * one entry further back, so its SHA-256 tells exactly what we replace. Class files decide, not the
 * number in a manifest: a release that nobody has heard of runs when all of them are equal and the
 * {@linkplain Neighbours classes that ours link to} are as they were (in a release that the jar was
 * tested on they are, and are looked at only when somebody asks), and a vendor's rebuild under an
 * official number does not when one of them differs. Where our classes were put <em>into</em>
 * Flink's jar, the manifest is all that is left to look at.
 *
 * <p>The woven classes rely on each other, so that all of them run or none: a jar in front of ours
 * that has some of them is refused unless ours are switched off, and with all of them in front
 * stock's code runs. The same holds for what was {@linkplain LoadedClasses loaded} in their place.
 * So it is with strings; of {@linkplain OtherFamilies other families}, which build on them, each is
 * on or off.
 */
public final class VersionGuard {

    private static final String OWN_CLASS =
            VersionGuard.class.getName().replace('.', '/') + ".class";

    private static final String JAVA_VERSION = "java.specification.version";

    private final ClassLoader loader;
    private final OpenJars jars;
    private final String javaVersion;
    private final Switches switches;

    private VersionGuard(ClassLoader loader, OpenJars jars, String javaVersion, Switches switches) {
        this.loader = loader;
        this.jars = jars;
        this.javaVersion = javaVersion;
        this.switches = switches;
    }

    /** The verdict on this process, found on the first call and kept. Never throws. */
    public static Verdict verdict() {
        return ThisProcess.VERDICT;
    }

    private static final class ThisProcess {
        static final Verdict VERDICT =
                check(VersionGuard.class.getClassLoader(), javaVersion(), Switches.ofThisProcess());
    }

    /** The verdict on the class path of a loader; trouble while looking is a refusal. */
    static Verdict check(ClassLoader loader) {
        return check(loader, javaVersion(), Switches.none());
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
     * @param switches a family that they switch off is not looked at
     */
    static Verdict check(ClassLoader loader, String javaVersion, Switches switches) {
        try (OpenJars jars = new OpenJars()) {
            return new VersionGuard(
                            loader == null ? ClassLoader.getSystemClassLoader() : loader,
                            jars,
                            javaVersion,
                            switches)
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
            // This class is loaded, so that it is somewhere: what cannot be looked at may not run.
            return Verdict.refused(Sentences.nothingToSee());
        }
        ClassPathEntry ourJar = own.get(0);
        String otherGuard = LoadedClasses.otherSource(VersionGuard.class.getName(), ourJar, loader);
        if (otherGuard != null) {
            return Verdict.refused(Sentences.otherGuard(otherGuard, ourJar));
        }
        byte[] content = ourJar.find(WeaveRecord.RESOURCE);
        if (content == null) {
            return Verdict.refused(Sentences.noRecord(ourJar));
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
        Sentences sentences = new Sentences(record, ourJar);
        // Java 8 calls itself 1.8, and no other that Flink runs on begins so.
        if (javaVersion != null && javaVersion.startsWith("1.")) {
            return Verdict.refused(record, sentences.oldJava(javaVersion));
        }
        StockClasses stock = StockClasses.find(record, ourJar, loader, jars);
        if (!stock.differing().isEmpty()) {
            return Verdict.refused(record, sentences.otherClasses(stock));
        }
        Verdict verdict =
                stock.isEmpty()
                        ? checkManifest(record, sentences)
                        : checkOrder(record, sentences, stock);
        boolean mayDiffer = switches.asksForNeighbours() || !sentences.isTested(stock);
        if (verdict.fits() && mayDiffer) {
            Neighbours.Mismatch mismatch =
                    new Neighbours(loader, jars, stock.isOnlyInPart()).check(record.links());
            if (mismatch != null) {
                return Verdict.refused(record, sentences.otherNeighbour(stock, mismatch));
            }
        }
        if (verdict.inUse()) {
            verdict = checkLoaded(ourJar, record, sentences, verdict);
        }
        return verdict.inUse() && switches.offBy(Switches.STRINGS) == null
                ? checkOthers(ourJar, record, stock, verdict, mayDiffer)
                : verdict;
    }

    /** Each as a whole; one that is switched off is not looked at. */
    private Verdict checkOthers(
            ClassPathEntry ourJar,
            WeaveRecord record,
            StockClasses stock,
            Verdict verdict,
            boolean mayDiffer)
            throws IOException {
        OtherFamilies others =
                new OtherFamilies(record, ourJar, loader, jars, javaVersion, mayDiffer);
        for (String family : record.families()) {
            if (!family.equals(Switches.STRINGS) && switches.offBy(family) == null) {
                verdict = verdict.with(family, others.judge(family, stock.inFront()));
            }
        }
        return verdict;
    }

    /** Only now, when the files are known to fit, the classes may be loaded. */
    private Verdict checkLoaded(
            ClassPathEntry ourJar, WeaveRecord record, Sentences sentences, Verdict verdict)
            throws IOException {
        LoadedClasses loaded = LoadedClasses.of(record.classesOf(Switches.STRINGS), ourJar, loader);
        if (loaded.others().isEmpty()) {
            return verdict;
        }
        return loaded.areAllOthers()
                ? Verdict.unused(record, sentences.notLoaded(loaded.others().values()))
                : Verdict.partlyInUse(record, sentences.partlyLoaded(loaded.others()));
    }

    private static Verdict checkOrder(WeaveRecord record, Sentences sentences, StockClasses stock)
            throws IOException {
        Set<String> strings = record.classesOf(Switches.STRINGS);
        Map<String, ClassPathEntry> inFront = new LinkedHashMap<>(stock.inFront());
        inFront.keySet().retainAll(strings);
        if (inFront.isEmpty()) {
            return Verdict.fits(record, sentences.fits(stock));
        }
        return inFront.size() == strings.size()
                ? Verdict.unused(record, sentences.unused(inFront.values()))
                : Verdict.partlyInUse(record, sentences.partlyInUse(inFront));
    }

    private static Verdict checkManifest(WeaveRecord record, Sentences sentences)
            throws IOException {
        return sentences.isFlinksOwn()
                ? Verdict.fits(record, sentences.manifest())
                : Verdict.refused(record, sentences.anotherManifest());
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
        return WeaveRecord.parse(properties, Switches.FAMILIES);
    }
}
