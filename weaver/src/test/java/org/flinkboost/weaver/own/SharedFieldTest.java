// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.flinkboost.weaver.Acme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Own builds whose methods, which we neither replace nor call, touch fields that our code touches:
 * they meet values there that the release never leaves.
 */
class SharedFieldTest {

    private static final String GAUGE =
            """
            package acme;

            public class Gauge {
                private int[] readings = new int[4];
                private int position;
                private byte[] scratch;
                private String unit = "m";
                private final String place = "here";

                public static String raise(Gauge gauge, int by) {
                    gauge.position += by;
                    return by + gauge.unit;
                }

                public int next() {
                    return readings[wrapped(position++)];
                }

                public byte[] spare() {
                    if (scratch == null) {
                        scratch = new byte[64];
                    }
                    return scratch;
                }

                private static int wrapped(int wanted) {
                    return wanted & 3;
                }

                public String describe() {
                    return "a gauge " + place;
                }
            }
            """;

    private static final String END = "return \"a gauge \" + place; }";

    private static final String PATCH =
            Acme.replacing(
                    "@Replaces public static Object raise(Gauge gauge, int by) {",
                    "    GaugeAccess access = (GaugeAccess) gauge;",
                    "    access.boostScratch(new byte[access.boostReadings()[by]]);",
                    "    return HandOver.TO_STOCK;",
                    "}");

    private static final String ACCESS =
            Acme.accessing(
                    "@Reads(\"readings\") int[] boostReadings();",
                    "@Writes(\"scratch\") void boostScratch(byte[] scratch);");

    private static final String WHY =
            ", which our code reads or sets at other moments than stock's";

    @TempDir Path folder;

    private List<String> differences(String own, int release) throws IOException {
        return new AcmeBuild(folder, 11, GAUGE, PATCH, ACCESS, Acme.HAND_OVER)
                .answer(own, release)
                .differences();
    }

    private static String with(String more) {
        return changed(END, END + " " + more);
    }

    private static String changed(String from, String to) {
        String flat = GAUGE.replaceAll("\\s+", " ");
        assertThat(flat).contains(from);
        return flat.replace(from, to);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "public int room() { return 64 - scratch.length; } | room()int | byte[] scratch",
                "public void forget() { scratch = null; } | forget()void | byte[] scratch",
                "public void use(int[] others) { readings = others; } | use(int[])void"
                        + " | int[] readings",
                "public int position() { return position; } | position()int | int position",
                "public String unit() { return unit; } | unit()java.lang.String"
                        + " | java.lang.String unit",
                "public Runnable later() { return () -> scratch = null; }"
                        + " | later()java.lang.Runnable | byte[] scratch",
                "public Gauge(int[] others) { readings = others; } public Gauge() {}"
                        + " | <init>(int[])void | int[] readings",
            })
    void methodOfThisBuildAloneIsRefused(String more, String method, String field)
            throws IOException {
        assertThat(differences(with(more), 11))
                .containsExactly(
                        String.format(
                                "acme.Gauge: %s is in this build alone and touches field %s%s",
                                method, field, WHY));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "new byte[64] | new byte[32] | spare()byte[], instruction 5 is `push integer 32`"
                        + ", expected `push integer 64`; it touches field byte[] scratch",
                "position++ | position-- | next()int, instruction",
                "wanted & 3 | wanted & 1 | wrapped(int)int, instruction",
            })
    void methodThatWeDoNotCallIsCompared(String from, String to, String expected)
            throws IOException {
        assertThat(differences(changed(from, to), 11))
                .singleElement()
                .asString()
                .startsWith("acme.Gauge: " + expected);
    }

    @Test
    void methodThatIsGoneIsNamed() throws IOException {
        assertThat(differences(GAUGE.replace("byte[] spare()", "byte[] other()"), 11))
                .containsExactly(
                        "acme.Gauge: other()byte[] is in this build alone and touches field"
                                + " byte[] scratch"
                                + WHY,
                        "acme.Gauge: spare()byte[] is missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "private int more; public int more() { return more++; }",
                "public String place() { return place; }",
                "public int twice() { return next() + next(); }",
                "public static class Mark { int at = 3; int at() { return at; } }",
                "public class Mark { String at() { return place; } }",
            })
    void whatTouchesNoneOfTheseFieldsMayDiffer(String more) throws IOException {
        assertThat(differences(with(more), 11)).isEmpty();
        assertThat(differences(with(more), 8)).isEmpty();
    }

    /** Either the compiler makes a method for it, or it needs none. */
    @ParameterizedTest
    @CsvSource({
        "8, 'a class within or around it touches', ', through access$000(acme.Gauge)int[]'",
        "11, acme.Gauge$Mark touches, ''",
    })
    void classOfTheSameNestIsRefused(int release, String who, String how) throws IOException {
        String mark = "public class Mark { int at() { return readings[2]; } }";
        assertThat(differences(with(mark), release))
                .containsExactly("acme.Gauge: " + who + " field int[] readings" + WHY + how);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void classOfTheSameNestMayReadWhatIsFinal(boolean isFinal) throws IOException {
        String mark = "public class Mark { int at() { return readings[2]; } }";
        String source = with(mark);
        if (isFinal) {
            source = source.replace("private int[] readings", "private final int[] readings");
        }
        AcmeBuild build = new AcmeBuild(folder, 11, source, PATCH, ACCESS, Acme.HAND_OVER);
        assertThat(build.answer(source, 11, "-g:none").differences()).hasSize(isFinal ? 0 : 1);
    }

    @Test
    void classOfTheSameNestMayReadWhatItReadsInTheRelease() throws IOException {
        String mark = "public class Mark { int at() { return readings[2]; } }";
        AcmeBuild build = new AcmeBuild(folder, 8, with(mark), PATCH, ACCESS, Acme.HAND_OVER);
        assertThat(build.answer(with(mark), 8, "-g:none").differences()).isEmpty();
        assertThat(build.answer(with(mark), 11, "-g:none").differences()).isEmpty();
        String other = mark.replace("readings[2]", "position");
        assertThat(build.answer(with(other), 8).differences()).hasSize(1);
        assertThat(build.answer(with(other), 11).differences()).hasSize(1);
    }
}
