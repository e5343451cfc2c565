// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.io.Input;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.api.Test;

/** Records of Kryo by our input beside stock's, from the same bytes. */
class KryoReaderTest {

    /** Writes what was read again: equal bytes are equal graphs. */
    private final KryoPair writer = new KryoPair(KryoGraphs.Node.class);

    private String text(KryoPair.Reading reading, DataInputView in) {
        return Outcome.of(() -> Arrays.toString(writer.bytes(reading.read(in))));
    }

    /** One record by each, from views that must then be at the same byte. */
    private void assertSame(
            KryoPair pair, DataInputDeserializer ours, DataInputDeserializer stock, Object what) {
        String expected = text(pair.stock::deserialize, stock);
        assertThat(text(pair.ours::deserialize, ours)).as("%s", what).isEqualTo(expected);
        assertThat(ours.available()).as("left by %s", what).isEqualTo(stock.available());
    }

    private static Object record(Random random) {
        KryoGraphs graphs = new KryoGraphs(random);
        return random.nextBoolean() ? graphs.node(3) : graphs.any(3);
    }

    @Test
    void randomRecordsInARowAreReadAsByStock() throws IOException {
        for (long seed : new Random().longs(20).toArray()) {
            Random random = new Random(seed);
            KryoPair pair = new KryoPair(KryoGraphs.Node.class);
            DataInputDeserializer ours = new DataInputDeserializer();
            DataInputDeserializer stock = new DataInputDeserializer();
            for (int round = 0; round < 5; round++) {
                byte[] bytes = row(random);
                byte[] before = bytes.clone();
                ours.setBuffer(bytes, 3, bytes.length - 3);
                stock.setBuffer(bytes, 3, bytes.length - 3);
                for (int i = 0; i < 3; i++) {
                    assertSame(pair, ours, stock, "seed " + seed + ", " + round + ", " + i);
                }
                assertThat(bytes).isEqualTo(before);
            }
            assertThat(pair.insides().boostInput() instanceof LookAheadInput)
                    .isEqualTo(Families.RECORDS);
        }
    }

    /** Three records between some other bytes. */
    private byte[] row(Random random) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        out.write(new byte[3]);
        for (int i = 0; i < 3; i++) {
            writer.stock.serialize(record(random), out);
        }
        out.write(new byte[random.nextInt(2) * random.nextInt(20)]);
        return out.getCopyOfBuffer();
    }

    /**
     * Stock's input keeps bytes of a record that ended too early, and begins the next with them.
     */
    @Test
    void theEndAtEveryByteIsStocksAndSoIsWhatComesAfterIt() throws IOException {
        for (int seed = 0; seed < 6; seed++) {
            byte[] bytes = writer.bytes(record(new Random(seed)));
            for (int length = 0; length < Math.min(bytes.length, 200); length++) {
                KryoPair pair = new KryoPair(KryoGraphs.Node.class);
                DataInputDeserializer ours = new DataInputDeserializer(bytes, 0, length);
                DataInputDeserializer stock = new DataInputDeserializer(bytes, 0, length);
                String what = "seed " + seed + ", length " + length;
                assertSame(pair, ours, stock, what);
                assertSame(pair, ours, stock, what + ", again");
                byte[] next = writer.bytes("the next");
                ours.setBuffer(next);
                stock.setBuffer(next);
                assertSame(pair, ours, stock, what + ", then");
                assertSame(pair, ours, stock, what + ", and then");
            }
        }
    }

    /** The seeds are fixed: no damage is a length that the memory may or may not hold. */
    @Test
    void damagedRecordsFailAsByStock() throws IOException {
        for (int seed = 0; seed < 120; seed++) {
            Random random = new Random(seed);
            byte[] bytes = writer.bytes(record(random));
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(100);
            KryoPair pair = new KryoPair(KryoGraphs.Node.class);
            DataInputDeserializer ours = new DataInputDeserializer(bytes);
            DataInputDeserializer stock = new DataInputDeserializer(bytes);
            assertSame(pair, ours, stock, "seed " + seed);
        }
    }

    /** Stock takes up to eight bytes for a short array, though they be the next record's. */
    @Test
    void shortArraysTakeWhatStockTakes() throws IOException {
        for (int length = 0; length < 13; length++) {
            Object[] arrays = {
                new boolean[length],
                new short[length],
                new char[length],
                new float[length],
                new double[length],
                new int[length],
                new long[length]
            };
            for (Object each : arrays) {
                for (int tail : new int[] {0, 1, 4, 7, 12}) {
                    assertShortArray(each, tail, each.getClass() + " " + length + " " + tail);
                }
            }
        }
    }

    private void assertShortArray(Object array, int tail, String what) throws IOException {
        KryoPair pair = new KryoPair(KryoGraphs.Node.class);
        DataOutputSerializer out = new DataOutputSerializer(64);
        writer.stock.serialize(array, out);
        out.write(new byte[tail]);
        writer.stock.serialize("next", out);
        byte[] bytes = out.getCopyOfBuffer();
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        assertSame(pair, ours, stock, what);
        // What was taken too much comes first now.
        for (int i = 0; i < 3; i++) {
            assertSame(pair, ours, stock, what + ", then " + i);
        }
    }

    @Test
    void viewsInTurnAreReadAsByStock() throws IOException {
        for (long seed : new Random().longs(20).toArray()) {
            Random random = new Random(seed);
            byte[] bytes = writer.bytes(new Object[] {record(random), "x".repeat(600)});
            KryoPair pair = new KryoPair(KryoGraphs.Node.class);
            DataInputDeserializer[] ours = new DataInputDeserializer[3];
            DataInputDeserializer[] stock = new DataInputDeserializer[3];
            Arrays.setAll(ours, i -> new DataInputDeserializer());
            Arrays.setAll(stock, i -> new DataInputDeserializer());
            for (int turn = 0; turn < 30; turn++) {
                int view = random.nextInt(4);
                if (view == 3) {
                    assertThat(text(pair.ours::deserialize, stream(bytes)))
                            .isEqualTo(text(pair.stock::deserialize, stream(bytes)));
                    continue;
                }
                int cut = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : 0;
                ours[view].setBuffer(bytes, 0, bytes.length - cut);
                stock[view].setBuffer(bytes, 0, bytes.length - cut);
                assertSame(pair, ours[view], stock[view], "seed " + seed + ", turn " + turn);
            }
        }
    }

    private static DataInputView stream(byte[] bytes) {
        return new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes));
    }

    /** Network buffers, on the heap and beside it, with more behind the record. */
    @Test
    void recordsOfTheNetworkAreReadAsByStock() throws Exception {
        for (long seed : new Random().longs(20).toArray()) {
            byte[] bytes = row(new Random(seed));
            KryoPair pair = new KryoPair(KryoGraphs.Node.class);
            for (MemorySegment segment :
                    new MemorySegment[] {
                        MemorySegmentFactory.allocateUnpooledSegment(bytes.length + 50),
                        MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length + 50)
                    }) {
                segment.put(5, bytes);
                int limit = 5 + bytes.length + new Random(seed).nextInt(45);
                DataInputView ours = RecordPatchesTest.networkView(segment, 8, limit);
                DataInputView stock = RecordPatchesTest.networkView(segment, 8, limit);
                for (int i = 0; i < 3; i++) {
                    String expected = text(pair.stock::deserialize, stock);
                    assertThat(text(pair.ours::deserialize, ours))
                            .as("seed %d, %d", seed, i)
                            .isEqualTo(expected);
                    assertThat(((SegmentInput) ours).boostPosition())
                            .isEqualTo(((SegmentInput) stock).boostPosition());
                }
                assertThat(((SegmentInput) ours).boostLimit()).isEqualTo(limit);
            }
        }
    }

    /** Stock would wait for ever where the limit cuts a record; behind it, it fails. */
    @Test
    void behindTheLimitOfTheNetworkNothingIsRead() throws Exception {
        byte[] bytes = writer.bytes("a record");
        KryoPair pair = new KryoPair(KryoGraphs.Node.class);
        for (MemorySegment segment :
                new MemorySegment[] {
                    MemorySegmentFactory.allocateUnpooledSegment(100),
                    MemorySegmentFactory.allocateUnpooledOffHeapMemory(100)
                }) {
            segment.put(8, bytes);
            String expected =
                    text(pair.stock::deserialize, RecordPatchesTest.networkView(segment, 8, 7));
            assertThat(expected).contains("IndexOutOfBounds");
            DataInputView ours = RecordPatchesTest.networkView(segment, 8, 7);
            assertThat(text(pair.ours::deserialize, ours)).isEqualTo(expected);
            assertThat(((SegmentInput) ours).boostPosition()).isEqualTo(8);
        }
    }

    /** Kryo writes into its buffer while it reads a text: that is never an array of others. */
    @Test
    void readersOfOneArrayDoNotShareIt() throws Exception {
        byte[] bytes = writer.bytes("a text of ASCII only");
        KryoPair[] pairs = {
            new KryoPair(KryoGraphs.Node.class), new KryoPair(KryoGraphs.Node.class)
        };
        Field field = Input.class.getDeclaredField("buffer");
        field.setAccessible(true);
        Set<Object> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
        buffers.add(bytes);
        for (KryoPair pair : pairs) {
            DataInputDeserializer ours = new DataInputDeserializer(bytes);
            assertSame(pair, ours, new DataInputDeserializer(bytes), "one array");
            assertThat(buffers.add(field.get(pair.insides().boostInput()))).isTrue();
        }
        MemorySegment segment = MemorySegmentFactory.wrap(bytes);
        DataInputView network = RecordPatchesTest.networkView(segment, 0, bytes.length);
        assertThat(pairs[0].ours.deserialize(network)).isEqualTo("a text of ASCII only");
        assertThat(field.get(pairs[0].insides().boostInput())).isNotSameAs(bytes);
    }
}
