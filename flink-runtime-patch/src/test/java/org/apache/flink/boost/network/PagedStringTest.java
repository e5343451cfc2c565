// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.TransferViews.Output;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;

/** Strings in memory in pages: what sorters, hash tables and spilling channels write. */
class PagedStringTest {

    @Test
    void writesAllKindsAtBoundaryLengths() {
        Texts.boundaryLengths(
                text -> {
                    try {
                        Output out = NetworkViews.PAGED_OUTPUT.open(FlinkClasses.PATCHED, 0);
                        FlinkClasses.PATCHED.writeString(text, out.view());
                        assertThat(out.bytes().get()).isEqualTo(Wire.encoded(text));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** A sorter's memory is full in the middle of a record: it starts again elsewhere. */
    @Test
    void endsAsStockWhereThePagesEnd() throws IOException {
        SplittableRandom random = new SplittableRandom(95);
        for (int i = 0; i < 300; i++) {
            String text = Texts.any(random) + "and more".repeat(30);
            int pages = 1 + random.nextInt(4);
            List<byte[]> written = new ArrayList<>();
            for (FlinkClasses flink :
                    new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
                Output out = NetworkViews.pagedOutput(flink, pages);
                DataOutput view = out.view();
                assertThatThrownBy(
                                () -> {
                                    for (int k = 0; k < 10; k++) {
                                        flink.writeString(text, view);
                                    }
                                })
                        .isInstanceOf(EOFException.class);
                written.add(out.bytes().get());
            }
            assertThat(written.get(0)).isEqualTo(written.get(1)).hasSize(pages * 64);
        }
    }
}
