// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.boost.strings.Texts;

/** Random classes with random values, moved by generated code and by stock. */
class RandomRecordsTest {

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
        byte[] bytes = kind.pair.bytes(kind.make());
        kind.pair.assertEndsAlike(bytes);
        for (int i = 1; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            // Small, or a length in an array would ask for all memory.
            changed[i] = (byte) random.nextInt(4);
            kind.pair.assertEndAlike(changed);
        }
    }

    /** Answers of both sides that are made up, one after the other. */
    private static final class Answers extends AccessPair {

        private final Iterator<String> ours;

        Answers(String... ours) {
            super(null);
            this.ours = Arrays.asList(ours).iterator();
        }

        @Override
        RecordAccess access() {
            throw new UnsupportedOperationException();
        }

        @Override
        String ourRead(byte[] bytes) {
            return ours.next();
        }

        @Override
        String stockRead(byte[] bytes) {
            return "a value";
        }
    }

    @Example
    void onlyTheWantOfMemoryIsLookedAtTwice() throws Exception {
        String noMemory = "java.lang.OutOfMemoryError: Java heap space";
        new Answers(noMemory, "a value").assertEndAlike(new byte[0]);
        assertThatThrownBy(() -> new Answers(noMemory, noMemory).assertEndAlike(new byte[0]))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> new Answers("another", "a value").assertEndAlike(new byte[0]))
                .isInstanceOf(AssertionError.class);
    }
}
