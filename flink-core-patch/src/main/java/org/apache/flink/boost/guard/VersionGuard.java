// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Decides whether the woven classes of our jar belong to the Flink they run in.
 *
 * <p>A woven class shadows the class file it was made from. That file is still on the class path,
 * one entry further back, so its SHA-256 tells exactly what we replace; a vendor's rebuild under an
 * official version number is found out as well. The {@code Implementation-Version} of its jar must
 * then name the version, because the classes that we do not replace count too: equal class files in
 * jars of which none says what it is are refused. Where our classes were put <em>into</em> Flink's
 * jar, the manifest is all that is left to look at.
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
    private final String javaVersion;

    private VersionGuard(ClassLoader loader, String javaVersion) {
        this.loader = loader;
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
        try {
            return new VersionGuard(
                            loader == null ? ClassLoader.getSystemClassLoader() : loader,
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
        List<ClassPathEntry> own = ClassPathEntry.holding(OWN_CLASS, loader);
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
        int compared = 0;
        Map<String, ClassPathEntry> inFront = new LinkedHashMap<>();
        for (Map.Entry<String, String> woven : record.stockChecksums().entrySet()) {
            String className = woven.getKey();
            List<ClassPathEntry> copies =
                    ClassPathEntry.holding(className.replace('.', '/') + ".class", loader);
            if (!copies.isEmpty() && !copies.get(0).isSameAs(ourJar)) {
                inFront.put(className, copies.get(0));
            }
            copies.removeIf(copy -> copy.isSameAs(ourJar));
            compared += copies.size();
            String refusal = compare(className, woven.getValue(), copies, ourJar, record);
            if (refusal != null) {
                return Verdict.refused(record, refusal);
            }
        }
        if (compared == 0) {
            return checkManifest(ourJar, record);
        }
        if (inFront.isEmpty()) {
            return Verdict.fits(record, "the class files it replaces are those of this version");
        }
        return inFront.size() == record.stockChecksums().size()
                ? Verdict.unused(record, unused(ourJar, inFront.values()))
                : Verdict.partlyInUse(record, partlyInUse(record, ourJar, inFront));
    }

    /** One sentence when the shadowed copies of a class are not what was woven, else null. */
    private static String compare(
            String className,
            String expected,
            List<ClassPathEntry> shadowed,
            ClassPathEntry ourJar,
            WeaveRecord record)
            throws IOException {
        String otherVersion = null;
        ClassPathEntry otherVersionJar = null;
        boolean versionConfirmed = isFlinksOwn(ourJar, record);
        for (ClassPathEntry copy : shadowed) {
            String found = copy.sha256();
            String version = copy.implementationVersion();
            if (!found.equalsIgnoreCase(expected)) {
                return record.flinkVersion().equals(version)
                        ? anotherBuild(record, ourJar, copy, className, expected, found)
                        : anotherVersion(record, ourJar, copy, version);
            }
            if (record.flinkVersion().equals(version)) {
                versionConfirmed = true;
            } else if (version != null) {
                otherVersion = version;
                otherVersionJar = copy;
            }
        }
        // A copy in somebody's fat jar carries that jar's own number; Flink's own jar decides then.
        if (versionConfirmed || shadowed.isEmpty()) {
            return null;
        }
        return otherVersion == null
                ? anotherVersion(record, ourJar, shadowed.get(0), null)
                : anotherVersion(record, ourJar, otherVersionJar, otherVersion);
    }

    private static Verdict checkManifest(ClassPathEntry ourJar, WeaveRecord record)
            throws IOException {
        return isFlinksOwn(ourJar, record)
                ? Verdict.fits(record, "the manifest of " + ourJar + " names this version")
                : Verdict.refused(
                        record,
                        anotherVersion(record, ourJar, ourJar, ourJar.implementationVersion()));
    }

    /** Whether our classes are inside Flink's jar; a jar of ours alone names our own version. */
    private static boolean isFlinksOwn(ClassPathEntry ourJar, WeaveRecord record)
            throws IOException {
        return record.flinkVersion().equals(ourJar.implementationVersion());
    }

    private static String anotherVersion(
            WeaveRecord record, ClassPathEntry ourJar, ClassPathEntry found, String version) {
        return String.format(
                "flink-boost %s is built for Flink %s but found %s in %s: %s, or install the"
                        + " flink-boost jar for %s.",
                record.boostVersion(),
                record.flinkVersion(),
                version == null ? "a Flink without a version number" : "Flink " + version,
                found,
                found.isSameAs(ourJar)
                        ? "put the original jar back"
                        : "remove " + ourJar + " from lib/",
                version == null ? "the version in use" : "Flink " + version);
    }

    private static String anotherBuild(
            WeaveRecord record,
            ClassPathEntry ourJar,
            ClassPathEntry found,
            String className,
            String expected,
            String checksum) {
        return String.format(
                "flink-boost %s is built for the official Flink %s but found a rebuild or vendor"
                        + " version of the same number, %s, in %s (SHA-256 of class %s is %s,"
                        + " expected %s): remove %s from lib/, or run the official Flink %s.",
                record.boostVersion(),
                record.flinkVersion(),
                record.flinkVersion(),
                found,
                className,
                checksum,
                expected,
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
