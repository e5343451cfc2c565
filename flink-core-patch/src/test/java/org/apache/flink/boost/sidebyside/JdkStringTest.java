// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.CodeUnits;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A string that our reader builds is one of the JDK's: whatever is asked of it, alone or together
 * with a string that the JDK has built. With the wrong coder or a wrong array it would not be.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JdkStringTest {

    private final Codec patched = Sides.patched();

    @ParameterizedTest
    @EnumSource(Input.class)
    void equalsBothWaysWithTheSameHash(Input view) throws IOException {
        for (String text : texts()) {
            String read = read(view, text);
            assertThat(read.equals(text) && text.equals(read)).as(text).isTrue();
            assertThat(read.hashCode()).isEqualTo(text.hashCode());
            assertThat(read.compareTo(text)).isZero();
            assertThat(text.compareTo(read)).isZero();
            assertThat(read.contentEquals(new StringBuilder(text))).isTrue();
        }
    }

    /** Near misses are told apart: the comparison is not simply always true. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void differsFromAStringWithOneOtherCharacter(Input view) throws IOException {
        SplittableRandom random = new SplittableRandom(61);
        for (String text : texts()) {
            if (!text.isEmpty()) {
                char[] units = text.toCharArray();
                units[random.nextInt(units.length)] ^= 1;
                String other = new String(units);
                String read = read(view, text);
                assertThat(read.equals(other) || other.equals(read)).as(text).isFalse();
                assertThat(read.compareTo(other)).isEqualTo(text.compareTo(other));
                assertThat(other.compareTo(read)).isEqualTo(other.compareTo(text));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void isFoundInMapsAndInterned(Input view) throws IOException {
        Map<String, Integer> byRead = new HashMap<>();
        Map<String, Integer> byText = new HashMap<>();
        Set<String> texts = texts();
        for (String text : texts) {
            byRead.put(read(view, text), text.length());
            byText.put(text, text.length());
        }
        assertThat(byRead).hasSameSizeAs(texts);
        for (String text : texts) {
            assertThat(byRead).containsEntry(text, text.length());
            assertThat(byText).containsEntry(read(view, text), text.length());
            assertThat(read(view, text).intern()).isSameAs(text.intern());
        }
    }

    /** A switch compiles to hash codes, then equals. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void choosesTheCaseOfASwitch(Input view) throws IOException {
        String[] texts = {
            "", "flink", "caf\u00e9", "\u0416\u0438\u0437\u043d\u044c", "\u6f22", "no"
        };
        for (int i = 0; i < texts.length; i++) {
            assertThat(chosen(read(view, new String(texts[i].toCharArray())))).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void answersEveryMethodAsTheJdksOwn(Input view) throws IOException {
        for (String text : texts()) {
            String read = read(view, text);
            questions()
                    .forEach(
                            (name, question) ->
                                    assertThat(question.apply(read))
                                            .as("%s of %s", name, text)
                                            .isEqualTo(question.apply(text)));
            int half = text.length() / 2;
            assertThat(read.regionMatches(0, text, 0, half)).isTrue();
            assertThat(text.regionMatches(true, half, read, half, text.length() - half)).isTrue();
            assertThat(read.equalsIgnoreCase(text)).isTrue();
            assertThat(text.compareToIgnoreCase(read)).isZero();
            assertThat(("x" + text + "y").indexOf(read)).isEqualTo(("x" + text).indexOf(text));
            assertThat(text.startsWith(read) && read.endsWith(text)).isTrue();
        }
    }

    /** What the string is asked on its own. */
    private static Map<String, Function<String, Object>> questions() {
        Map<String, Function<String, Object>> all = new LinkedHashMap<>();
        all.put("length", String::length);
        all.put("toCharArray", text -> Arrays.toString(text.toCharArray()));
        all.put("chars", text -> text.chars().sum());
        all.put("codePoints", text -> text.codePoints().sum());
        all.put("format", text -> String.format("<%s|%10.3s>", text, text));
        all.put("concat", text -> text.concat("\u0416") + text);
        all.put("join", text -> String.join(text, "a", "b"));
        all.put("builder", text -> new StringBuilder("\u6f22").append(text).reverse().toString());
        all.put("substring", text -> text.substring(text.length() / 3));
        all.put("replace", text -> text.replace('a', '\u0416').replace("x", "yy"));
        all.put("toUpperCase", text -> text.toUpperCase(Locale.ROOT));
        all.put("toLowerCase", text -> text.toLowerCase(Locale.ROOT));
        all.put("trim", String::trim);
        all.put("lastIndexOf", text -> text.lastIndexOf('e'));
        all.put("UTF-8", text -> Arrays.toString(text.getBytes(StandardCharsets.UTF_8)));
        all.put("UTF-16", text -> Arrays.toString(text.getBytes(StandardCharsets.UTF_16LE)));
        all.put("Latin-1", text -> Arrays.toString(text.getBytes(StandardCharsets.ISO_8859_1)));
        all.put("split", text -> Arrays.toString(text.split("a")));
        all.put("matches", text -> text.matches("(?s).*[e\u0416].*"));
        all.put("normalize", text -> Normalizer.normalize(text, Normalizer.Form.NFD));
        return all;
    }

    private static int chosen(String text) {
        switch (text) {
            case "":
                return 0;
            case "flink":
                return 1;
            case "caf\u00e9":
                return 2;
            case "\u0416\u0438\u0437\u043d\u044c":
                return 3;
            case "\u6f22":
                return 4;
            default:
                return 5;
        }
    }

    private static Set<String> texts() {
        SplittableRandom random = new SplittableRandom(62);
        Set<String> texts = new HashSet<>();
        for (int length : new int[] {0, 1, 2, 7, 8, 9, 16, 31, 64, 65, 200, 2049, 5000}) {
            for (CodeUnits kind : CodeUnits.values()) {
                texts.add(kind.text(random, length));
            }
            // Latin-1 but for the last character, and the other way round.
            texts.add("\u00e9".repeat(length) + "\u0416");
            texts.add("a".repeat(length) + "\u00ff");
            texts.add("\u0100" + "a".repeat(length));
        }
        return texts;
    }

    private String read(Input view, String text) throws IOException {
        patched.open(Output.SERIALIZER, 16);
        patched.writeString(text);
        byte[] bytes = Arrays.copyOf(patched.written(), patched.writtenLength());
        patched.open(view, bytes, 0, bytes.length);
        return patched.readString();
    }
}
