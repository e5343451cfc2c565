// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.Arrays;
import java.util.Random;
import org.apache.flink.boost.records.RowAccessTest.RowPair;
import org.apache.flink.boost.records.TupleAccessTest.TuplePair;
import org.apache.flink.boost.soak.Mismatch;
import org.apache.flink.boost.soak.Soak;
import org.apache.flink.boost.soak.SoakCases;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Random types of records, each with random values, through the generated classes and stock's
 * serializers: written, copied, read from arrays and network buffers, and cut off at each byte. A
 * case is a POJO, a Java record, a tuple, a row or an object of Kryo's.
 */
final class RecordSoak implements SoakCases {

    private static final int VALUES = 5;
    private static final int MOST_SHOWN = 4000;

    public static void main(String[] arguments) {
        Soak.run(new RecordSoak(), arguments);
    }

    @Override
    public String name() {
        return "types of records";
    }

    @Override
    public int generator() {
        return 1;
    }

    @Override
    public int block() {
        return 32;
    }

    /** A type with values of it, and how its two sides are compared. */
    private interface Case {

        /**
         * @param broken whether each side gets another value, so that they differ
         */
        void check(boolean broken) throws Exception;
    }

    @Override
    public Check checkOf(long seed, String damage) {
        return index -> {
            try {
                of(seed, index).check(!damage.isEmpty());
            } catch (AssertionError e) {
                String what = String.valueOf(e.getMessage());
                throw new Mismatch(
                        describe(seed, index)
                                + ": "
                                + what.substring(0, Math.min(what.length(), MOST_SHOWN)));
            }
        };
    }

    @Override
    public String describe(long seed, long index) {
        int choice = choice(random(seed, index));
        return choice == 0
                ? "a tuple"
                : choice == 1 ? "a row" : choice == 2 ? "of Kryo" : "a POJO or a Java record";
    }

    private static Random random(long seed, long index) {
        return new Random(seed ^ (index + 1) * 0x9E3779B97F4A7C15L);
    }

    private static int choice(Random random) {
        return random.nextInt(8);
    }

    private static Case of(long seed, long index) throws Exception {
        Random random = random(seed, index);
        switch (choice(random)) {
            case 0:
                return tuple(random);
            case 1:
                return row(random);
            case 2:
                return broken -> checkKryo(random, broken);
            default:
                return record(random);
        }
    }

    private static Case record(Random random) throws Exception {
        RandomRecords.Kind kind = new RandomRecords(random.nextLong()).kind(12, 2);
        return broken -> {
            Object value = kind.make();
            for (int i = 0; i < VALUES; i++) {
                Object next = kind.make();
                kind.pair.assertSame(value, broken ? next : value);
                value = next;
            }
            kind.pair.assertEndsAlike(kind.pair.bytes(value));
        };
    }

    private static Case tuple(Random random) {
        ColumnValues values = new ColumnValues(1 + random.nextInt(25), random);
        TuplePair pair = new TuplePair(values.serializers);
        return broken -> {
            Object tuple = pair.tuple(values.right());
            Object other = pair.tuple(values.with(random.nextInt(values.serializers.length), null));
            pair.assertSame(tuple, broken ? other : tuple);
            pair.assertEndsAlike(pair.bytes(tuple));
        };
    }

    private static Case row(Random random) {
        ColumnValues values = new ColumnValues(1 + random.nextInt(40), random);
        RowPair pair = new RowPair(values.serializers, null, random.nextBoolean());
        return broken -> {
            for (RowKind kind : RowKind.values()) {
                Object[] some = values.right();
                for (int i = 0; i < some.length; i++) {
                    some[i] = random.nextInt(3) == 0 ? null : some[i];
                }
                Row other = Row.ofKind(kind, new Object[some.length]);
                Row row = Row.ofKind(kind, some);
                pair.assertSame(row, broken ? other : row);
                pair.assertEndsAlike(pair.bytes(row));
            }
        };
    }

    private static void checkKryo(Random random, boolean broken) throws Exception {
        KryoPair pair = new KryoPair(KryoGraphs.Node.class);
        for (int i = 0; i < VALUES; i++) {
            KryoGraphs graphs = new KryoGraphs(random);
            byte[] bytes = pair.bytes(random.nextBoolean() ? graphs.node(3) : graphs.any(3));
            byte[] others = broken ? pair.bytes(new KryoGraphs(random).node(1)) : bytes;
            // Equal bytes are equal graphs.
            String expected = read(pair, pair.stock::deserialize, others);
            if (!read(pair, pair.ours::deserialize, bytes).equals(expected)) {
                throw new AssertionError("read again, stock writes other bytes");
            }
        }
    }

    private static String read(KryoPair pair, KryoPair.Reading reading, byte[] bytes) {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        return Outcome.of(() -> Arrays.toString(pair.bytes(reading.read(in)))) + in.available();
    }
}
