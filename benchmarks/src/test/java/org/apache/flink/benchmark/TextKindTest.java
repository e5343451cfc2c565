// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextKindTest {

    private static final int[] RECORDED_HASHES = {
        1520999334, 2123967453, 1229724534, -1333474814, -1180038505, 1721651619
    };

    private static final int[] LENGTHS = {1, 2, 3, 4, 16, 17, 128, 1024, 2049};

    private static final IntPredicate IS_ASCII = c -> c < 0x80;
    private static final IntPredicate IS_LATIN1 = c -> c < 0x100;
    private static final IntPredicate IS_ACCENTED = c -> c >= 0x80 && c < 0x100;
    private static final IntPredicate IS_CYRILLIC =
            c -> Character.UnicodeBlock.of(c) == Character.UnicodeBlock.CYRILLIC;
    private static final IntPredicate IS_CJK =
            c -> Character.UnicodeBlock.of(c) == Character.UnicodeBlock.CJK_UNIFIED_IDEOGRAPHS;
    private static final IntPredicate IS_SYMBOL =
            c -> Character.isSupplementaryCodePoint(c) || c >= 0x2600 && c <= 0x26ff;

    @ParameterizedTest
    @EnumSource
    void sameSeedGivesSameTexts(TextKind kind) {
        assertThat(kind.drawDistinct(64, 128, 7)).isEqualTo(kind.drawDistinct(64, 128, 7));
        assertThat(kind.drawDistinct(64, 128, 7)).isNotEqualTo(kind.drawDistinct(64, 128, 8));
    }

    @Test
    void textsAreTheRecordedOnes() {
        // Recorded once; a JDK or an edit that changes them would break the history of all results.
        assertThat(
                        Stream.of(TextKind.values())
                                .mapToInt(k -> Arrays.hashCode(k.drawDistinct(64, 100, 14_346)))
                                .toArray())
                .containsExactly(RECORDED_HASHES);
    }

    @ParameterizedTest
    @EnumSource
    void textsHaveTheLengthAndDiffer(TextKind kind) {
        for (int length : LENGTHS) {
            assertThat(kind.drawDistinct(64, length, 1))
                    .hasSize(64)
                    .doesNotHaveDuplicates()
                    .allSatisfy(text -> assertThat(text).hasSize(length));
        }
    }

    @Test
    void everyKindConsistsOfWhatItNames() {
        Map<TextKind, IntPredicate> members =
                Map.of(
                        TextKind.ASCII, IS_ASCII,
                        TextKind.LATIN1, IS_LATIN1,
                        TextKind.CYRILLIC, IS_CYRILLIC,
                        TextKind.CJK, IS_CJK,
                        TextKind.EMOJI, IS_SYMBOL);
        members.forEach(
                (kind, member) -> {
                    for (int length : LENGTHS) {
                        for (String text : kind.drawDistinct(64, length, 2)) {
                            assertThat(text.codePoints().allMatch(member))
                                    .as("%s: %s", kind, text)
                                    .isTrue();
                        }
                    }
                });
    }

    @Test
    void latin1IsNeverPlainAscii() {
        for (int length : LENGTHS) {
            assertThat(TextKind.LATIN1.drawDistinct(64, length, 3))
                    .allSatisfy(text -> assertThat(text.chars().anyMatch(IS_ACCENTED)).isTrue());
        }
    }

    @Test
    void mixedHoldsAllKindsInOneText() {
        for (String text : TextKind.MIXED.drawDistinct(64, 128, 4)) {
            assertThat(
                            Stream.of(IS_ASCII, IS_ACCENTED, IS_CYRILLIC, IS_CJK, IS_SYMBOL)
                                    .allMatch(kind -> text.codePoints().anyMatch(kind)))
                    .as(text)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EMOJI", "MIXED"})
    void surrogatesComeInPairs(TextKind kind) {
        for (int length : LENGTHS) {
            for (String text : kind.drawDistinct(64, length, 5)) {
                assertThat(text.codePoints().noneMatch(c -> c >= 0xd800 && c <= 0xdfff))
                        .as(text)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void parametersNameKinds(TextKind kind) {
        assertThat(TextKind.named(kind.parameter())).isSameAs(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"klingon", "ASCII", ""})
    void unknownNameIsRefusedWithTheKnownOnes(String name) {
        assertThatThrownBy(() -> TextKind.named(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'")
                .hasMessageContaining("[ascii, latin1, cyrillic, cjk, emoji, mixed]");
    }

    @Test
    void tooManyDistinctTextsAreRefused() {
        assertThatThrownBy(() -> TextKind.ASCII.drawDistinct(96, 1, 6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no 96 different strings of length 1");
    }

    @Test
    void emptyTextIsEmpty() {
        assertThat(TextKind.CJK.draw(0, new Random(1))).isEmpty();
    }
}
