// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.api.Test;

/** What the check of an installation promises about its strings. */
class CorpusTest {

    private static final int SURROGATES = 0x400;

    @Test
    void everyCodeUnitStandsAloneAmongAsciiAndInText() {
        BitSet alone = new BitSet();
        BitSet amongAscii = new BitSet();
        BitSet behindBulk = new BitSet();
        BitSet inBulk = new BitSet();
        for (long index = 0; index < Corpus.COMPLETE; index++) {
            String text = Corpus.at(index).text;
            if (text.length() == 1) {
                alone.set(text.charAt(0));
            } else if (text.length() == 3 && text.startsWith("a") && text.endsWith("b")) {
                amongAscii.set(text.charAt(1));
            } else if (text.startsWith("plain letters")) {
                behindBulk.set(text.charAt(text.length() - 1));
            } else if (text.length() > 64 && text.charAt(0) == text.charAt(64)) {
                inBulk.set(text.charAt(0));
            }
        }
        assertThat(alone.cardinality()).isEqualTo(0x10000);
        assertThat(amongAscii.cardinality()).isEqualTo(0x10000);
        assertThat(behindBulk.cardinality()).isEqualTo(0x10000);
        assertThat(inBulk.cardinality()).isEqualTo(0x10000);
    }

    @Test
    void everySurrogatePairIsThere() {
        BitSet pairs = new BitSet();
        for (long index = Corpus.COMPLETE - SURROGATES; index < Corpus.COMPLETE; index++) {
            Corpus.at(index)
                    .text
                    .codePoints()
                    .filter(Character::isSupplementaryCodePoint)
                    .forEach(codePoint -> pairs.set(codePoint - 0x10000));
        }
        assertThat(pairs.cardinality()).isEqualTo(1 << 20);
    }

    @Test
    void theRestIsRandomAndTheSameEachTime() {
        assertThat(Corpus.at(Corpus.COMPLETE).text).isEqualTo(Corpus.at(Corpus.COMPLETE).text);
        assertThat(Corpus.at(Corpus.COMPLETE).text)
                .isNotEqualTo(Corpus.at(Corpus.COMPLETE + 1).text);
    }

    @Test
    void aWrongCodeUnitIsFoundByItsFirstString() throws InterruptedException {
        SoakRun run =
                new SoakRun(
                        Corpus::at,
                        "the corpus",
                        0,
                        Corpus.COMPLETE,
                        () ->
                                new Comparison(
                                        BrokenCodec.reading(Sides.patched(), '\u0123'),
                                        Sides.stock()));
        run.start(2);
        assertThat(run.join(600_000)).isTrue();
        assertThat(run.failure()).contains("is U+0122, stock has U+0123");
    }
}
