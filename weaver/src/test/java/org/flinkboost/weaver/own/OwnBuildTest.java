// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.flinkboost.weaver.Acme;
import org.flinkboost.weaver.line.Checksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody's own build of a product: what may differ from the release, and what may not. */
class OwnBuildTest {

    private static final String GAUGE =
            """
            package acme;

            public class Gauge implements java.io.Serializable {
                private static final long serialVersionUID = 42L;
                private static final int LIMIT = 300;
                private static final int[] STEPS = {1, 2, 5};
                private int level = 3;
                private String unit = "m";
                private String place = "here";

                public static String raise(Gauge gauge, int by) {
                    try {
                        gauge.level = gauge.clip(gauge.level + by);
                        switch (by) {
                            case 1: return "one " + gauge.unit;
                            case 2: return "two " + gauge.level + "!";
                            default:
                                java.util.function.IntSupplier later = () -> STEPS[1] + by;
                                return "many " + later.getAsInt();
                        }
                    } catch (IllegalStateException e) {
                        return null;
                    }
                }

                private int clip(int wanted) {
                    java.nio.ByteBuffer.allocate(2).position(1).limit(1);
                    return wanted > LIMIT ? LIMIT : wanted;
                }

                public String describe() {
                    return "a gauge";
                }

                public int level() {
                    return level;
                }
            }
            """;

    private static final String PATCH =
            Acme.replacing(
                    "@Replaces public static Object raise(Gauge gauge, int by) {",
                    "    return by == 7 ? \"ours\" : HandOver.TO_STOCK;",
                    "}");

    private static final String ACCESS = Acme.accessing("@Reads(\"level\") int boostLevel();");

    @TempDir Path folder;
    private AcmeBuild build;

    @BeforeEach
    void release() throws IOException {
        build = new AcmeBuild(folder, 11, GAUGE, PATCH, ACCESS, Acme.HAND_OVER);
    }

    @ParameterizedTest
    @CsvSource({"11, -g:none", "11, -g", "11, -parameters", "8, -g:source", "17, -g:none"})
    void anotherCompilationFits(int release, String option) throws Exception {
        OwnBuild.Answer answer = build.answer(GAUGE, release, option);
        assertThat(answer.differences()).isEmpty();
        OwnBuild.Woven woven = answer.woven().orElseThrow();
        byte[] own = Files.readAllBytes(folder.resolve("own/acme/Gauge.class"));
        assertThat(woven.checksums()).containsEntry("acme.Gauge", Checksum.of(own));
        assertThat(woven.version()).matches("1\\.4\\.2-own-[0-9a-f]{12}");

        Path jar = folder.resolve("woven.jar");
        woven.write(jar);
        URL[] path = {
            jar.toUri().toURL(),
            build.acme.root.resolve("families").toUri().toURL(),
            folder.resolve("acme-own.jar").toUri().toURL()
        };
        try (URLClassLoader loader =
                new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            Class<?> gauge = loader.loadClass("acme.Gauge");
            Object one = gauge.getConstructor().newInstance();
            var raise = gauge.getMethod("raise", gauge, int.class);
            assertThat(raise.invoke(null, one, 7)).isEqualTo("ours");
            assertThat(raise.invoke(null, one, 2)).isEqualTo("two 5!");
            assertThat(gauge.getMethod("level").invoke(one)).isEqualTo(5);
        }
    }

    /** As JDK 17 compiles what a release has been compiled of by JDK 8, and the other way round. */
    @Test
    void aCastMoreOrLessIsTheCompilers() throws IOException {
        String change =
                "return \"one \" + gauge.unit; => return \"one \" + (String) (Object) gauge.unit;";
        assertThat(build.answer(changed(change), 11, "-g:none").differences()).isEmpty();
    }

    @Test
    void theBytesAreTheSameEveryTime() throws IOException {
        Path first = folder.resolve("first.jar");
        Path second = folder.resolve("second.jar");
        build.answer(GAUGE, 11, "-g:none").woven().orElseThrow().write(first);
        build.answer(GAUGE, 11, "-g:none").woven().orElseThrow().write(second);
        assertThat(second).hasSameBinaryContentAs(first);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "return \"a gauge\"; => return \"another gauge\";",
                "public int level() { => public String also() { return place; } public int level() {",
                "public String describe() { return \"a gauge\"; } => ",
                "private String unit = \"m\"; => private String unit = \"m\"; int more;"
            })
    void whatWeDoNotTouchMayDiffer(String change) throws IOException {
        assertThat(build.answer(changed(change), 11).differences()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gauge.level + by | gauge.level - by | instruction 6 is `isub`, expected `iadd`",
                "wanted > LIMIT | wanted >= LIMIT | clip(int)int, instruction",
                "LIMIT = 300 | LIMIT = 301 | `push integer 301`, expected `push integer 300`",
                "\"two \" | \"2 \" | expected `put together \"two \" + int + \"!\"`",
                "case 1: | case 3: | switch 2 to L",
                "STEPS[1] + by | STEPS[2] + by | in what the compiler made of it",
                "{1, 2, 5} | {1, 2, 6} | <clinit>()void",
                "IllegalStateException | IllegalArgumentException | catch java.lang.IllegalArg",
                "int level = 3 | int level = 4 | <init>()void",
                "serialVersionUID = 42L | serialVersionUID = 43L | serialVersionUID is long 43",
                "implements java.io.Serializable | extends Thread | it extends or implements",
                "private int level = | private volatile int level = | field int level is private volatile",
                "public class Gauge | public final class Gauge | the class is public final",
                "public static String raise | public static synchronized String raise | is public"
                        + " static synchronized",
                "private int level = | int level = | field int level is without a modifier",
                "private int clip | int clip | clip(int)int is without a modifier, expected private",
            })
    void whatWeTouchMayNotDiffer(String from, String to, String expected) throws IOException {
        OwnBuild.Answer answer = build.answer(changed(from + " => " + to), 11);
        assertThat(answer.woven()).isEmpty();
        assertThat(answer.differences())
                .allMatch(sentence -> sentence.startsWith("acme.Gauge: "))
                .anyMatch(sentence -> sentence.contains(expected));
    }

    /** Bodies of a superclass are not compared, so that what they do with a field is not known. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fieldsOfASuperclassMayBeReadButNotSet(boolean set) throws IOException {
        String inheriting =
                GAUGE.replace("public class Gauge", "public class Gauge extends Dial")
                                .replace("private int level = 3;", "")
                        + " class Dial { int level = 3; }";
        String access = set ? "@Writes(\"level\") void boostLevel(int level);" : "";
        build =
                new AcmeBuild(
                        folder.resolve("inheriting"),
                        11,
                        inheriting,
                        PATCH,
                        Acme.accessing("@Reads(\"level\") int boostLevel(); " + access),
                        Acme.HAND_OVER);
        OwnBuild.Answer answer = build.answer(inheriting, 11, "-g:none");
        if (set) {
            assertThat(answer.differences())
                    .containsExactly(
                            "acme.Gauge: our code sets level of acme.Dial, of which own builds"
                                    + " compare no bodies.");
        } else {
            assertThat(answer.differences()).isEmpty();
        }
    }

    @Test
    void methodThatIsNotThereIsNamed() throws IOException {
        String renamed = GAUGE.replace("String raise(", "String lift(");
        assertThat(build.answer(renamed, 11).differences())
                .contains("acme.Gauge: raise(acme.Gauge,int)java.lang.String is missing");
    }

    @Test
    void classThatIsNotThereIsNamed() throws IOException {
        assertThat(
                        build.answer(new HashMap<>(Map.of("acme/Other.class", new byte[4])))
                                .differences())
                .containsExactly("acme.Gauge: it is not in acme-own.jar");
    }

    @Test
    void classFileThatIsNoneIsADifferenceAndNoCrash() throws IOException {
        Map<String, byte[]> broken = Map.of("acme/Gauge.class", "no class".getBytes());
        OwnBuild.Answer answer = build.answer(broken);
        assertThat(answer.woven()).isEmpty();
        assertThat(answer.differences())
                .containsExactly("acme.Gauge: it is no class file that can be read");
    }

    @Test
    void stockClassFileWithAnotherContentIsRefused() throws IOException {
        String sum = build.line.classes().get("acme.Gauge").checksum();
        Files.writeString(folder.resolve("classes").resolve(sum), "something else");
        assertThat(build.answer(GAUGE, 11, "-g:none").differences())
                .singleElement()
                .asString()
                .contains("has another content than its name says");
    }

    private static String changed(String change) {
        String[] sides = change.split(" => ", 2);
        String flat = GAUGE.replaceAll("\\s+", " ");
        assertThat(flat).contains(sides[0]);
        return flat.replace(sides[0], sides[1]);
    }
}
