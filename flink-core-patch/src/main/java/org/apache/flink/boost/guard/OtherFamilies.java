// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.boost.guard.Verdict.OfFamily;
import org.apache.flink.boost.guard.classpath.AsideClasses;
import org.apache.flink.boost.guard.classpath.ClassPathEntry;
import org.apache.flink.boost.guard.classpath.LoadedClasses;
import org.apache.flink.boost.guard.classpath.Neighbours;
import org.apache.flink.boost.guard.classpath.OpenJars;
import org.apache.flink.boost.guard.classpath.WeaveRecord;

/**
 * The verdicts on the families beside strings: each runs as a whole or not at all, and where it
 * cannot run, stock's code does and the process starts.
 */
final class OtherFamilies {

    /** The first Java with hidden classes that have data, which records are moved by. */
    private static final int JAVA_OF_RECORDS = 16;

    /**
     * What the woven classes of records call first. It is initialised at the start of a process:
     * where a job's first record met a full heap it would fail, and never come back for other jobs.
     */
    private static final String CALLED_FIRST = "org.apache.flink.boost.records.RecordAccess";

    /** Likewise; but where these cannot be, as without Kryo, stock's code does their work. */
    private static final List<String> CALLED_NEXT =
            Arrays.asList(
                    "org.apache.flink.boost.records.check.StockRun",
                    "org.apache.flink.boost.records.kryo.LookAheadInput");

    private final WeaveRecord record;
    private final ClassPathEntry ourJar;
    private final ClassLoader loader;
    private final OpenJars jars;
    private final String javaVersion;
    private final boolean mayDiffer;

    /**
     * Told of what Java it is and whether the classes that ours link to are to be looked at.
     *
     * @param javaVersion such as 17; may be null
     */
    OtherFamilies(
            WeaveRecord record,
            ClassPathEntry ourJar,
            ClassLoader loader,
            OpenJars jars,
            String javaVersion,
            boolean mayDiffer) {
        this.record = record;
        this.ourJar = ourJar;
        this.loader = loader;
        this.jars = jars;
        this.javaVersion = javaVersion;
        this.mayDiffer = mayDiffer;
    }

    /**
     * Judges a family, and defines those of its classes that lie aside when it fits.
     *
     * @param inFront the entries that stand before our jar, by the class that they bring
     */
    OfFamily judge(String family, Map<String, ClassPathEntry> inFront) throws IOException {
        if (family.equals(Switches.RECORDS)
                && javaVersion != null
                && Integer.parseInt(javaVersion) < JAVA_OF_RECORDS) {
            return OfFamily.off(Sentences.familyOfNewerJava(javaVersion, JAVA_OF_RECORDS));
        }
        Set<String> names = record.classesOf(family);
        for (String name : names) {
            if (inFront.containsKey(name)) {
                return OfFamily.missed(Sentences.familyInFront(name, inFront.get(name), ourJar));
            }
            if (AsideClasses.find(name, ourJar) == null) {
                continue;
            }
            List<ClassPathEntry> copies =
                    ClassPathEntry.holding(name.replace('.', '/') + ".class", loader, jars);
            if (copies.isEmpty()) {
                return OfFamily.off(record.jarOf(name) + " is not on the class path");
            }
            // What stands behind the first is never loaded, with or without our jar.
            String found = copies.get(0).sha256();
            if (!record.isStock(name, found)) {
                return OfFamily.missed(Sentences.familyDiffers(name, copies.get(0), record));
            }
        }
        if (mayDiffer) {
            Neighbours.Mismatch mismatch =
                    new Neighbours(loader, jars, false).check(record.linksOf(family));
            if (mismatch != null) {
                return OfFamily.missed(mismatch.toString());
            }
        }
        String problem = new AsideClasses(ourJar, loader).define(names);
        if (problem != null) {
            return OfFamily.missed(problem);
        }
        Map<String, String> others = LoadedClasses.of(names, ourJar, loader).others();
        if (others.isEmpty()) {
            return initialised();
        }
        Map.Entry<String, String> first = others.entrySet().iterator().next();
        return OfFamily.missed(Sentences.familyLoaded(first.getKey(), first.getValue(), ourJar));
    }

    private OfFamily initialised() throws IOException {
        try {
            initialise(CALLED_FIRST);
        } catch (ClassNotFoundException | LinkageError e) {
            return OfFamily.missed(CALLED_FIRST + " cannot be initialised (" + e + ")");
        }
        for (String name : CALLED_NEXT) {
            try {
                initialise(name);
            } catch (ClassNotFoundException | LinkageError e) {
                // Whoever calls it finds that out again, and hands over.
                continue;
            }
        }
        return OfFamily.ON;
    }

    private void initialise(String name) throws IOException, ClassNotFoundException {
        if (ourJar.find(name.replace('.', '/') + ".class") != null) {
            Class.forName(name, true, loader);
        }
    }
}
