// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.api.Test;

/** A short soak test with the views of flink-runtime too. */
class SegmentSoakTest {

    private static final int CASES = Integer.getInteger("codec.cases", 20_000);

    @Test
    void patchedAndStockAgreeOnRandomStrings() throws InterruptedException {
        for (Codec.Input view : Codec.Input.values()) {
            assertThat(Sides.patched().has(view)).as(view.name()).isTrue();
        }
        SoakRun run =
                new SoakRun(21, 0, CASES, () -> new Comparison(Sides.patched(), Sides.stock()));
        run.start(2);
        assertThat(run.join(600_000)).isTrue();
        assertThat(run.failure()).isNull();
        assertThat(run.done()).isEqualTo(CASES);
    }
}
