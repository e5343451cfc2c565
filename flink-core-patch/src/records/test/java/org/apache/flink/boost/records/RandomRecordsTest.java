// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.boost.strings.Texts;

/** Random classes with random values, moved by generated code and by stock. */
class RandomRecordsTest {

    private static final String NO_MEMORY = OutOfMemoryError.class.getName();

    @Property
    void anyRecordIsMovedAsStockMovesIt(@ForAll long seed) throws Exception {
        RandomRecords.Kind kind = new RandomRecords(seed).kind(12, 2);
        for (int i = 0; i < Texts.cases() / 1000; i++) {
            kind.pair.assertSame(kind.make());
        }
    }

    /** Cut off anywhere, or with any byte another one: the same value or the same exception. */
    @Property(tries = 25)
    void anyDamageEndsAsInStock(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < Texts.cases() / 5000; i++) {
            assertDamageEndsAsInStock(random);
        }
    }

    private static void assertDamageEndsAsInStock(Random random) throws Exception {
        RandomRecords.Kind kind = new RandomRecords(random.nextLong()).kind(6, 1);
        RecordPair pair = kind.pair;
        byte[] bytes = pair.bytes(kind.make());
        for (int length = 1; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertEndsAsInStock(pair, cut);
        }
        for (int i = 1; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            // Small, or a length in an array would ask for all memory.
            changed[i] = (byte) random.nextInt(4);
            assertEndsAsInStock(pair, changed);
        }
    }

    /** An array of nearly all memory fits or not by what else is alive just then: a second look. */
    private static void assertEndsAsInStock(RecordPair pair, byte[] bytes) throws Exception {
        String ours = pair.ourRead(bytes);
        String stocks = pair.stockRead(bytes);
        if (ours.contains(NO_MEMORY) != stocks.contains(NO_MEMORY)) {
            ours = pair.ourRead(bytes);
            stocks = pair.stockRead(bytes);
        }
        assertThat(ours).isEqualTo(stocks);
    }
}
