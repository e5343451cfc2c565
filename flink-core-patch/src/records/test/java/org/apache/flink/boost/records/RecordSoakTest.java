// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.boost.soak.Mismatch;
import org.apache.flink.boost.soak.SoakCases.Check;
import org.apache.flink.boost.strings.Texts;
import org.junit.jupiter.api.Test;

/** A short soak test of records, and the proof that it finds what differs. */
class RecordSoakTest {

    private static final long SEED = 30;

    private final RecordSoak soak = new RecordSoak();

    @Test
    void patchedAndStockAgree() throws Exception {
        Check check = soak.checkOf(SEED, "");
        for (int index = 0; index < Texts.cases() / 100; index++) {
            check.check(index);
        }
    }

    @Test
    void eachKindIsThereAndADifferenceInItIsFound() throws Exception {
        Check broken = soak.checkOf(SEED, "record");
        Set<String> kinds = new HashSet<>();
        for (int index = 0; index < 40; index++) {
            String kind = soak.describe(SEED, index);
            kinds.add(kind);
            int each = index;
            assertThatThrownBy(() -> broken.check(each))
                    .isInstanceOf(Mismatch.class)
                    .hasMessageStartingWith(kind);
        }
        assertThat(kinds).hasSize(4);
    }
}
