// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Decides whether the woven classes of our jar belong to the Flink they run in.
 *
 * <p>A woven class shadows the class file it was made from. That file is still on the class path,
 * one entry further back, so its SHA-256 tells exactly what we replace; a vendor's rebuild under an
 * official version number is found out as well. The {@code Implementation-Version} of its jar must
 * then agree, because the classes that we do not replace count too. Where our classes were put
 * <em>into</em> Flink's jar, the manifest is all that is left to look at.
 */
public final class VersionGuard {

    private static final String OWN_CLASS =
            VersionGuard.class.getName().replace('.', '/') + ".class";

    private final ClassLoader loader;

    private VersionGuard(ClassLoader loader) {
        this.loader = loader;
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
        try {
            return new VersionGuard(loader == null ? ClassLoader.getSystemClassLoader() : loader)
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
        int compared = 0;
        String unpatched = "";
        for (Map.Entry<String, String> woven : record.stockChecksums().entrySet()) {
            String className = woven.getKey();
            List<ClassPathEntry> copies =
                    ClassPathEntry.holding(className.replace('.', '/') + ".class", loader);
            if (!copies.isEmpty() && !copies.get(0).isSameAs(ourJar)) {
                unpatched =
                        ", but "
                                + copies.get(0)
                                + " stands before "
                                + ourJar
                                + " on the class path and its class "
                                + className
                                + " is not patched";
            }
            copies.removeIf(copy -> copy.isSameAs(ourJar));
            compared += copies.size();
            String refusal = compare(className, woven.getValue(), copies, ourJar, record);
            if (refusal != null) {
                return Verdict.refused(record, refusal);
            }
        }
        return compared == 0
                ? checkManifest(ourJar, record)
                : Verdict.fits(
                        record,
                        "the class files it replaces are those of this version" + unpatched);
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
        boolean versionConfirmed = false;
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
        return otherVersion == null || versionConfirmed
                ? null
                : anotherVersion(record, ourJar, otherVersionJar, otherVersion);
    }

    private static Verdict checkManifest(ClassPathEntry ourJar, WeaveRecord record)
            throws IOException {
        String version = ourJar.implementationVersion();
        return record.flinkVersion().equals(version)
                ? Verdict.fits(record, "the manifest of " + ourJar + " names this version")
                : Verdict.refused(record, anotherVersion(record, ourJar, ourJar, version));
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
