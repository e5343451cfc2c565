// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every code unit and every pair of surrogates through all views, as stock. */
class CodeUnitTest {

    private static final char FIRST_LEAD = '\uD800';
    private static final char FIRST_TRAIL = '\uDC00';
    private static final int SURROGATES = 0x400;

    private final Comparison comparison = new Comparison(Sides.patched(), Sides.stock());
    private long checked;

    @Test
    void everyCodeUnitAlone() {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            check(String.valueOf((char) unit));
        }
        assertThat(checked).isEqualTo(0x10000);
    }

    /** Between two letters, and at each place of a word of eight. */
    @Test
    void everyCodeUnitBetweenAscii() {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            check("a" + (char) unit + "b");
            int place = unit % 9;
            check("abcdefgh".substring(0, place) + (char) unit + "ijklmnopq".substring(place));
        }
    }

    @Test
    void everyCodeUnitDoubledAndInARunOfItself() {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            check("" + (char) unit + (char) unit);
            check(String.valueOf((char) unit).repeat(3 + unit % 16));
        }
    }

    /** Each from each view, also where the cases above take another one. */
    @ParameterizedTest
    @EnumSource(Codec.Input.class)
    void everyCodeUnitFromEachView(Codec.Input view) throws IOException {
        Codec patched = Sides.patched();
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            String text = "ab" + (char) unit;
            byte[] bytes = Wire.encoded(text);
            patched.open(view, bytes, 0, bytes.length);
            String read = patched.readString();
            if (!text.equals(read) || patched.position() != bytes.length) {
                assertThat(read).as("from %s", view).isEqualTo(text);
                assertThat(patched.position()).as("in %s", view).isEqualTo(bytes.length);
            }
        }
    }

    /** Each to each output, several in one text. */
    @ParameterizedTest
    @EnumSource(Codec.Output.class)
    void everyCodeUnitToEachView(Codec.Output view) throws IOException {
        Codec patched = Sides.patched();
        patched.open(view, 64);
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            String text = "ab" + (char) unit + (char) unit;
            patched.clear();
            patched.writeString(text);
            byte[] written = Arrays.copyOf(patched.written(), patched.writtenLength());
            if (!Arrays.equals(written, Wire.encoded(text))) {
                assertThat(written).as("U+%04X to %s", unit, view).isEqualTo(Wire.encoded(text));
            }
        }
    }

    /** One text per lead, with each trail behind it: the full grid of 1,048,576 pairs. */
    @Test
    void everySurrogatePair() {
        long pairs = 0;
        for (int lead = 0; lead < SURROGATES; lead++) {
            StringBuilder text = new StringBuilder();
            for (int trail = 0; trail < SURROGATES; trail++) {
                text.append((char) (FIRST_LEAD + lead)).append((char) (FIRST_TRAIL + trail));
                pairs++;
            }
            check(text.toString());
        }
        assertThat(pairs).isEqualTo(1 << 20);
    }

    /** Whole, reversed, doubled and torn, next to ASCII and at its end. */
    @Test
    void surrogatesInEveryOrder() {
        for (int lead = 0; lead < SURROGATES; lead += 31) {
            for (int trail = 0; trail < SURROGATES; trail += 31) {
                char high = (char) (FIRST_LEAD + lead);
                char low = (char) (FIRST_TRAIL + trail);
                check("" + high + low);
                check("" + low + high);
                check("" + high + high + low + low);
                check("x" + high + "y" + low);
                check("ascii in front" + low + high + low);
            }
        }
    }

    /** The check finds one wrong code unit among all. */
    @Test
    void aWrongCodeUnitIsFound() {
        Comparison broken =
                new Comparison(BrokenCodec.reading(Sides.patched(), '\u1234'), Sides.stock());
        broken.check(SoakCase.of("\u1233", 0));
        assertThatThrownBy(() -> broken.check(SoakCase.of("\u1234", 0)))
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("is U+1235, stock has U+1234");
    }

    private void check(String text) {
        comparison.check(SoakCase.of(text, checked++));
    }
}
