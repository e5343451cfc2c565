// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.flinkboost.weaver.form.ClassComparison;
import org.flinkboost.weaver.form.ClassForm;
import org.flinkboost.weaver.jar.DropInJar;
import org.flinkboost.weaver.jar.FamilyLinks;
import org.flinkboost.weaver.jar.LinkComparison;
import org.flinkboost.weaver.jar.WeaveRecord;
import org.flinkboost.weaver.jar.WovenClasses;
import org.flinkboost.weaver.line.Checksum;
import org.flinkboost.weaver.line.ClassPath;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.PatchedClass;
import org.flinkboost.weaver.line.WeaveException;
import org.flinkboost.weaver.weave.Uses;
import org.flinkboost.weaver.weave.Weaver;

/**
 * A build of Flink that is no official release, against one line: what differs where it matters,
 * and if nothing does, the jar for it.
 */
final class OwnBuild {

    /** How many digits of a checksum tell one build's jar from another's. */
    private static final int DIGITS = 12;

    private final Path dist;
    private final List<Path> classPath;
    private final FamilySwitches switches;
    private final Set<String> aside;
    private final Line line;
    private final Path patches;
    private final Path stock;

    /**
     * One build and one line.
     *
     * @param dist the jar with Flink's own classes
     * @param classPath whatever else its classes and ours refer to; families that lie aside may
     *     have classes in a jar of it
     * @param switches of the families
     * @param aside families without which a jar can be made, whose classes lie aside in it
     * @param line whose patches are tried
     * @param patches a folder with all of the line's jar but its woven classes
     * @param stock a folder with the line's class files, each named after its SHA-256
     */
    OwnBuild(
            Path dist,
            List<Path> classPath,
            FamilySwitches switches,
            Set<String> aside,
            Line line,
            Path patches,
            Path stock) {
        this.dist = dist;
        this.classPath = new ArrayList<>(List.of(dist));
        this.classPath.addAll(classPath);
        this.switches = switches;
        this.aside = aside;
        this.line = line;
        this.patches = patches;
        this.stock = stock;
    }

    /**
     * The differences that matter, and the jar when they stand in nothing's way, or only in that of
     * families which it is without.
     */
    static final class Answer {

        private final List<String> differences;
        private final Optional<Woven> woven;

        Answer(List<String> differences, Optional<Woven> woven) {
            this.differences = differences;
            this.woven = woven;
        }

        /** A sentence for each difference that matters. */
        List<String> differences() {
            return differences;
        }

        Optional<Woven> woven() {
            return woven;
        }
    }

    /** The content of a jar that is ready to be written, and what it says about itself. */
    static final class Woven {

        private final DropInJar jar;
        private final WeaveRecord record;
        private final Map<String, String> checksums;

        Woven(DropInJar jar, WeaveRecord record, Map<String, String> checksums) {
            this.jar = jar;
            this.record = record;
            this.checksums = checksums;
        }

        void write(Path out) throws IOException {
            jar.write(out, record);
        }

        /** The combination that the jar is for; its file name has it. */
        String version() {
            return record.flinkVersion();
        }

        /** SHA-256 of the class files that it replaces, by binary name. */
        Map<String, String> checksums() {
            return checksums;
        }
    }

    /**
     * Compares, and weaves what nothing differs for: all families, or those that must be there with
     * each of the others that fits.
     */
    Answer answer(String boostVersion) throws IOException {
        Answer whole = answer(line, boostVersion);
        Set<String> out = new TreeSet<>(aside);
        out.retainAll(line.ownFamilies());
        if (whole.woven().isPresent() || out.isEmpty()) {
            return whole;
        }
        Answer most = answer(line.without(out), boostVersion);
        if (most.woven().isEmpty()) {
            return most;
        }
        for (String family : new TreeSet<>(out)) {
            Set<String> fewer = new TreeSet<>(out);
            fewer.remove(family);
            Answer with = fewer.isEmpty() ? whole : answer(line.without(fewer), boostVersion);
            if (with.woven().isPresent()) {
                most = with;
                out = fewer;
            }
        }
        return new Answer(whole.differences(), most.woven());
    }

    private Answer answer(Line wanted, String boostVersion) throws IOException {
        try (OwnJars jars = new OwnJars(dist, classPath)) {
            Map<String, byte[]> classes = new TreeMap<>();
            List<String> differences = new ArrayList<>();
            for (Map.Entry<String, PatchedClass> each : wanted.classes().entrySet()) {
                String name = each.getKey();
                boolean anywhere = aside.contains(each.getValue().family());
                Optional<byte[]> found = jars.classFile(name, anywhere);
                found.ifPresent(bytes -> classes.put(name, bytes));
                if (found.isEmpty()) {
                    differences.add(name + ": it is not in " + dist.getFileName());
                } else if (!ClassForm.isReadable(found.get())) {
                    differences.add(name + ": it is no class file that can be read");
                }
            }
            if (differences.isEmpty()) {
                differences.addAll(compare(wanted, classes, jars));
            }
            if (!differences.isEmpty()) {
                return new Answer(differences, Optional.empty());
            }
            return weave(wanted, jars, classes, boostVersion);
        } catch (WeaveException e) {
            return new Answer(List.of(e.getMessage()), Optional.empty());
        } catch (TypePool.Resolution.NoSuchTypeException e) {
            return new Answer(List.of(e.getName() + ": it is missing"), Optional.empty());
        }
    }

    private List<String> compare(Line wanted, Map<String, byte[]> classes, OwnJars jars)
            throws IOException {
        Map<String, byte[]> stockFiles = new TreeMap<>();
        for (Map.Entry<String, PatchedClass> entry : wanted.classes().entrySet()) {
            Path file = stock.resolve(entry.getValue().checksum());
            byte[] content = Files.readAllBytes(file);
            if (!Checksum.of(content).equals(entry.getValue().checksum())) {
                throw new WeaveException(file + " has another content than its name says.");
            }
            stockFiles.put(entry.getKey(), content);
        }
        List<String> differences = new ArrayList<>();
        try (ClassFileLocator locator =
                new ClassFileLocator.Compound(
                        new ClassFileLocator.Simple(stockFiles),
                        Weaver.locator(patches, jars.paths(), classPath))) {
            TypePool pool = TypePool.Default.of(locator);
            for (Map.Entry<String, Uses> each : Uses.of(patches, wanted, pool).entrySet()) {
                byte[] own = classes.get(each.getKey());
                differences.addAll(
                        ClassComparison.differences(
                                stockFiles.get(each.getKey()),
                                own,
                                jars.nestAround(own),
                                each.getValue().methods(),
                                each.getValue().fields()));
            }
        }
        return differences;
    }

    private Answer weave(
            Line wanted, OwnJars flink, Map<String, byte[]> classes, String boostVersion)
            throws IOException {
        Map<String, PatchedClass> patched = new TreeMap<>();
        Map<String, String> checksums = new TreeMap<>();
        classes.forEach(
                (name, bytes) -> {
                    String checksum = Checksum.of(bytes);
                    checksums.put(name, checksum);
                    patched.put(name, wanted.classes().get(name).withChecksum(checksum));
                });
        Line own = new Line(line.version(), Map.of(), patched, line.families());
        Weaver.Result result =
                new Weaver(own, switches).weaveOpened(patches, flink.holders(), classPath);
        DropInJar jar = new DropInJar();
        jar.addAll(patches);
        jar.leaveOut(result.unused());
        jar.addClasses(result.woven());
        Map<String, Set<String>> links = new TreeMap<>();
        try (ClassFileLocator locator = ClassPath.locator(classPath)) {
            FamilyLinks all = new FamilyLinks(jar, own, switches, aside, locator);
            links.put("", all.shared());
            for (String family : all.apart()) {
                links.put(family, all.of(family));
                jar.setAside(own.classesOf(family));
            }
        }
        Set<String> needed = new TreeSet<>();
        links.values().forEach(needed::addAll);
        List<String> differences =
                LinkComparison.differences(linksOfTheLine(links.keySet()), needed);
        if (!differences.isEmpty()) {
            return new Answer(differences, Optional.empty());
        }
        String version = line.version() + "-own-" + digits(checksums, needed);
        WeaveRecord record =
                new WeaveRecord(version, boostVersion)
                        .classes(patched)
                        .links(links.remove(""))
                        .wovenLike(line.version());
        links.forEach(record::linksOf);
        return new Answer(List.of(), Optional.of(new Woven(jar, record, checksums)));
    }

    /** Those of some families, of which the empty one stands for what all need. */
    private Set<String> linksOfTheLine(Set<String> families) throws IOException {
        Properties record = new Properties();
        try (InputStream in = Files.newInputStream(patches.resolve(WeaveRecord.RESOURCE))) {
            record.load(in);
        }
        Set<String> links = new TreeSet<>();
        for (String key : record.stringPropertyNames()) {
            int last = key.lastIndexOf('.');
            if (key.startsWith("link.")
                    && families.contains(key.substring(Math.min("link.".length(), last), last))) {
                links.add(record.getProperty(key));
            }
        }
        return links;
    }

    /** Two builds have one name only when all that the guard compares is equal. */
    private static String digits(Map<String, String> checksums, Set<String> links) {
        String all = WovenClasses.text(checksums) + String.join("\n", links);
        return Checksum.of(all.getBytes(StandardCharsets.UTF_8)).substring(0, DIGITS);
    }
}
