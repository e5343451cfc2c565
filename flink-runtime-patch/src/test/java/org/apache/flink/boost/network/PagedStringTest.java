// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Codec.UserOutput;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;

/** Strings in memory in pages: what sorters, hash tables and spilling channels write. */
class PagedStringTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @Test
    void writesAllKindsAtBoundaryLengths() {
        Texts.boundaryLengths(
                text -> {
                    try {
                        patched.open(Output.PAGES, 0);
                        patched.writeString(text);
                        assertThat(written(patched)).isEqualTo(Wire.encoded(text));
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
            for (Codec codec : new Codec[] {patched, stock}) {
                codec.open(UserOutput.FEW_PAGES, pages * Codec.PAGE);
                assertThatThrownBy(
                                () -> {
                                    for (int k = 0; k < 10; k++) {
                                        codec.writeString(text);
                                    }
                                })
                        .isInstanceOf(EOFException.class);
                written.add(written(codec));
            }
            assertThat(written.get(0)).isEqualTo(written.get(1)).hasSize(pages * Codec.PAGE);
        }
    }

    private static byte[] written(Codec codec) {
        return Arrays.copyOf(codec.written(), codec.writtenLength());
    }
}
