// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.flinkboost.weaver.JavaSources;
import org.flinkboost.weaver.line.WeaveException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the classes of a jar need of those that are not in it. */
class LinksTest {

    private static final String[] NEIGHBOURS = {
        "package far; public interface Meter { int read(); default int twice() { return 2; } }",
        "package far; public abstract class Base implements Meter {"
                + " protected int last; public static String unit = \"m\";"
                + " protected abstract void reset(int to); public int mean(long[] of) { return 1; } }",
        "package far; public class Probe extends Base {"
                + " public int read() { return 1; } protected void reset(int to) {} }",
        "package far; public class Unseen {}",
    };

    @TempDir private Path folder;

    @Test
    void namesMembersKindsAndSupertypesOfWhatIsNotInTheJar() throws IOException {
        assertThat(
                        links(
                                "package near; public class User extends far.Base {"
                                        + " public int read() { return last + far.Base.unit.length(); }"
                                        + " protected void reset(int to) { }"
                                        + " far.Meter probe() { return new far.Probe(); }"
                                        + " int mean(far.Probe p) { return p.mean(null) + p.hashCode(); } }"))
                .containsExactly(
                        "far/Base class public",
                        "far/Base extended",
                        "far/Base field protected last I",
                        "far/Base method public <init> ()V",
                        "far/Base open read ()I",
                        "far/Base open reset (I)V",
                        "far/Base static-field public unit Ljava/lang/String;",
                        "far/Base subtype far/Meter",
                        "far/Probe class public",
                        "far/Probe method public <init> ()V",
                        "far/Probe method public mean ([J)I",
                        "far/Probe subtype far/Base",
                        "far/Probe subtype far/Meter");
    }

    @Test
    void findsWhatAClassOfTheJarInherits() throws IOException {
        assertThat(
                        links(
                                "package near; public class User extends far.Probe { }",
                                "package near; class Caller {"
                                        + " int call(User u) { return u.twice() + u.read(); } }"))
                .contains("far/Meter method public twice ()I", "far/Probe method public read ()I")
                .noneMatch(link -> link.startsWith("near/") || link.startsWith("java/"));
    }

    @Test
    void elementsOfArraysCount() throws IOException {
        assertThat(
                        links(
                                "package near; class User { Object of() { return new"
                                        + " far.Unseen[2][3]; } }"))
                .containsExactly("far/Unseen class public");
    }

    @Test
    void memberThatIsGoneIsNamed() throws IOException {
        compile("far", NEIGHBOURS);
        compile(
                "near",
                "package near; class User { int of(far.Probe p) { return p.mean(null); } }");
        JavaSources.compile(
                folder.resolve("far"),
                8,
                List.of(),
                NEIGHBOURS[0],
                NEIGHBOURS[1].replace("mean", "average"),
                NEIGHBOURS[2]);

        assertThatThrownBy(() -> Links.of(classFiles("near"), name -> true, outside()))
                .isInstanceOf(WeaveException.class)
                .hasMessageContaining("near.User refers to far.Probe.mean([J)I, which is missing");
    }

    private Set<String> links(String... sources) throws IOException {
        compile("far", NEIGHBOURS);
        compile("near", sources);
        return Links.of(classFiles("near"), name -> true, outside());
    }

    private ClassFileLocator outside() {
        return new ClassFileLocator.ForFolder(folder.resolve("far").toFile());
    }

    private void compile(String name, String... sources) throws IOException {
        JavaSources.compile(folder.resolve(name), 8, List.of(folder.resolve("far")), sources);
    }

    private List<byte[]> classFiles(String name) throws IOException {
        List<byte[]> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder.resolve(name))) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                found.add(Files.readAllBytes(file));
            }
        }
        return found;
    }
}
