// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.api.Test;

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

    @Test
    void everyCodeUnitBetweenAscii() {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            check("a" + (char) unit + "b");
        }
    }

    @Test
    void everyCodeUnitDoubledAndInARunOfItself() {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            check("" + (char) unit + (char) unit);
            check(String.valueOf((char) unit).repeat(3 + unit % 16));
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
