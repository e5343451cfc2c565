// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.kryo.KryoInsides;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.boost.sidebyside.Allocation;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.runtime.io.network.api.serialization.SpillingAdaptiveSpanningRecordDeserializer;
import org.apache.flink.runtime.io.network.buffer.FreeingBufferRecycler;
import org.apache.flink.runtime.io.network.buffer.NetworkBuffer;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The woven serializer by Kryo, beside stock's: all that is not its input. */
class KryoSerializerTest {

    /** A POJO with a field for Kryo between others. */
    public static class Holder {
        public int before;
        public Object any;
        public int after;
    }

    private final KryoPair pair = new KryoPair(KryoGraphs.Node.class);

    /** A record of which stock takes just its own bytes. */
    private Object any(Random random) {
        while (true) {
            Object record = new KryoGraphs(random).any(2);
            try {
                byte[] bytes = written(pair.stock, record);
                DataInputDeserializer in =
                        new DataInputDeserializer(Arrays.copyOf(bytes, bytes.length + 8));
                pair.stock.deserialize(in);
                if (in.available() == 8) {
                    return record;
                }
            } catch (IOException | RuntimeException e) {
                // It has short arrays, and its own bytes come out of turn.
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> object(TypeSerializer<?> serializer) {
        return (TypeSerializer<Object>) serializer;
    }

    private static byte[] written(TypeSerializer<Object> serializer, Object... records)
            throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        for (Object each : records) {
            serializer.serialize(each, out);
        }
        return out.getCopyOfBuffer();
    }

    /** What is read is written by stock again: equal bytes are equal graphs. */
    private static String text(
            TypeSerializer<Object> reader, TypeSerializer<Object> writer, DataInputView in) {
        return Outcome.of(() -> Arrays.toString(written(writer, reader.deserialize(in))));
    }

    private static void assertRead(
            TypeSerializer<Object> ours, TypeSerializer<Object> stock, Object[] records)
            throws Exception {
        byte[] bytes = written(stock, records);
        assertThat(written(ours, records)).isEqualTo(bytes);
        MemorySegment segment = MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length);
        segment.put(0, bytes);
        DataInputView[] oursFrom = {
            new DataInputDeserializer(bytes),
            RecordPatchesTest.networkView(segment, 0, bytes.length),
            new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes))
        };
        DataInputView[] stocksFrom = {
            new DataInputDeserializer(bytes),
            RecordPatchesTest.networkView(segment, 0, bytes.length),
            new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes))
        };
        for (Object record : records) {
            for (int view = 0; view < oursFrom.length; view++) {
                String expected = text(stock, stock, stocksFrom[view]);
                assertThat(text(ours, stock, oursFrom[view])).as("%s", record).isEqualTo(expected);
            }
        }
        // Nothing failed.
        assertThat(((DataInputDeserializer) stocksFrom[0]).available()).isZero();
        assertThat(((DataInputDeserializer) oursFrom[0]).available()).isZero();
    }

    private Object[] of(Random random, Function<Object, Object> made) {
        Object[] records = new Object[20];
        Arrays.setAll(records, i -> made.apply(any(random)));
        return records;
    }

    @Test
    void fieldsForKryoAreReadAsByStock() throws Exception {
        Random random = new Random();
        Field[] fields = {
            Holder.class.getField("before"),
            Holder.class.getField("any"),
            Holder.class.getField("after")
        };
        TypeSerializer<?>[] ours = {IntSerializer.INSTANCE, pair.ours, IntSerializer.INSTANCE};
        TypeSerializer<?>[] stock = {IntSerializer.INSTANCE, pair.stock, IntSerializer.INSTANCE};
        TypeSerializer<Object> pojo = StockSerializers.ourPojo(Holder.class, fields, ours);
        WovenSerializersTest.settle(pojo, new Holder());
        assertRead(
                pojo,
                StockSerializers.pojo(Holder.class, fields, stock),
                of(
                        random,
                        any -> {
                            Holder holder = new Holder();
                            holder.before = 5;
                            holder.any = any;
                            holder.after = 6;
                            return holder;
                        }));
        @SuppressWarnings("unchecked")
        Class<Tuple3<Integer, Object, Integer>> tuple =
                (Class<Tuple3<Integer, Object, Integer>>) (Class<?>) Tuple3.class;
        TypeSerializer<Object> tuples = object(new TupleSerializer<>(tuple, ours));
        WovenSerializersTest.settle(tuples, Tuple3.of(1, "x", 2));
        assertRead(
                tuples,
                StockSerializers.tuple(Tuple3.class, stock),
                of(random, any -> Tuple3.of(7, any == null ? "null" : any, 8)));
        TypeSerializer<Object> rows = object(new RowSerializer(ours, null, true));
        WovenSerializersTest.settle(rows, Row.of(1, "x", 2));
        assertRead(
                rows,
                StockSerializers.row(stock, null, true),
                of(random, any -> Row.of(9, any, 10)));
        assertRead(
                object(new ListSerializer<>(pair.ours)),
                object(new ListSerializer<>(pair.stock)),
                of(random, any -> new ArrayList<>(Arrays.asList(1, any, "x", any))));
    }

    /** Reads what Flink's deserializer of records gives, in one buffer or in several. */
    private static final class Reading implements IOReadableWritable {

        private final KryoPair.Reading reading;
        private final List<Object> all = new ArrayList<>();

        private Reading(KryoPair.Reading reading) {
            this.reading = reading;
        }

        @Override
        public void read(DataInputView in) throws IOException {
            all.add(reading.read(in));
        }

        @Override
        public void write(DataOutputView out) {
            throw new UnsupportedOperationException();
        }
    }

    private static List<Object> received(
            KryoPair.Reading reading, byte[] bytes, int size, String folder) throws IOException {
        SpillingAdaptiveSpanningRecordDeserializer<Reading> deserializer =
                new SpillingAdaptiveSpanningRecordDeserializer<>(new String[] {folder});
        Reading records = new Reading(reading);
        for (int from = 0; from < bytes.length; from += size) {
            MemorySegment segment = MemorySegmentFactory.allocateUnpooledSegment(size);
            int count = Math.min(size, bytes.length - from);
            segment.put(0, bytes, from, count);
            NetworkBuffer buffer = new NetworkBuffer(segment, FreeingBufferRecycler.INSTANCE);
            buffer.setSize(count);
            deserializer.setNextBuffer(buffer);
            while (!deserializer.getNextRecord(records).isBufferConsumed()) {
                // The next one of the buffer.
            }
        }
        return records.all;
    }

    @Test
    void recordsThatSpanBuffersAreReadAsByStock(@TempDir Path folder) throws IOException {
        Random random = new Random();
        DataOutputSerializer out = new DataOutputSerializer(64);
        Object[] records = of(random, any -> any);
        for (Object each : records) {
            byte[] bytes = written(pair.stock, each);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
        byte[] small = out.getCopyOfBuffer();
        // More than 5 MiB, which Flink writes to disk.
        byte[] huge = written(pair.stock, "\u20ac".repeat(1_800_000));
        assertThat(huge).hasSizeGreaterThan(5 << 20);
        out.writeInt(huge.length);
        out.write(huge);
        out.writeInt(huge.length);
        out.write(huge);
        String where = folder.toString();
        for (int size : new int[] {100, 1000, 32768}) {
            byte[] bytes = size == 32768 ? out.getCopyOfBuffer() : small;
            List<Object> expected = received(pair.stock::deserialize, bytes, size, where);
            List<Object> read = received(pair.ours::deserialize, bytes, size, where);
            assertThat(read).hasSize(records.length + (size == 32768 ? 2 : 0));
            assertThat(
                            Arrays.equals(
                                    written(pair.stock, read.toArray()),
                                    written(pair.stock, expected.toArray())))
                    .as("buffers of %d", size)
                    .isTrue();
        }
    }

    @Test
    void duplicatesHaveInputsOfTheirOwn() throws IOException {
        KryoPair other = pair.duplicate();
        byte[] bytes = written(pair.stock, of(new Random(), any -> any));
        DataInputDeserializer[] views = new DataInputDeserializer[4];
        Arrays.setAll(views, i -> new DataInputDeserializer(bytes));
        for (int i = 0; i < 20; i++) {
            String expected = text(pair.stock, pair.stock, views[0]);
            assertThat(text(pair.ours, pair.stock, views[1])).isEqualTo(expected);
            assertThat(text(other.ours, pair.stock, views[2])).isEqualTo(expected);
            assertThat(text(other.stock, pair.stock, views[3])).isEqualTo(expected);
        }
        assertThat(views).allMatch(each -> each.available() == 0);
        if (Families.RECORDS) {
            assertThat(other.insides().boostLookAhead())
                    .isNotNull()
                    .isNotSameAs(pair.insides().boostLookAhead());
        }
    }

    @Test
    void copiesBetweenViewsAreStocks() throws IOException {
        Object[] records = of(new Random(), any -> any);
        byte[] bytes = written(pair.stock, records);
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        DataOutputSerializer oursTo = new DataOutputSerializer(64);
        DataOutputSerializer stocksTo = new DataOutputSerializer(64);
        Object reuse = new KryoGraphs.Node();
        for (int i = 0; i < records.length; i++) {
            if (i % 2 == 0) {
                pair.ours.copy(ours, oursTo);
                pair.stock.copy(stock, stocksTo);
            } else {
                pair.stock.serialize(pair.ours.deserialize(reuse, ours), oursTo);
                pair.stock.serialize(pair.stock.deserialize(reuse, stock), stocksTo);
            }
            assertThat(ours.available()).isEqualTo(stock.available());
        }
        assertThat(oursTo.getCopyOfBuffer()).isEqualTo(stocksTo.getCopyOfBuffer());
        assertThat(Arrays.toString(written(pair.stock, pair.ours.copy(records[0]))))
                .isEqualTo(Arrays.toString(written(pair.stock, pair.stock.copy(records[0]))));
    }

    private static byte[] javaBytes(Object serializer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(serializer);
        }
        return bytes.toByteArray();
    }

    /** What is added stays behind; savepoints and job graphs hold the same bytes. */
    @Test
    void serializedFormsAreStocks() throws Exception {
        byte[] record = written(pair.stock, "a record");
        assertThat(pair.ours.deserialize(new DataInputDeserializer(record))).isEqualTo("a record");
        assertThat(pair.stock.deserialize(new DataInputDeserializer(record))).isEqualTo("a record");
        byte[] bytes = javaBytes(pair.ours);
        assertThat(bytes).isEqualTo(javaBytes(pair.stock));
        DataOutputSerializer ours = new DataOutputSerializer(64);
        DataOutputSerializer stock = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(ours, pair.ours.snapshotConfiguration());
        TypeSerializerSnapshot.writeVersionedSnapshot(stock, pair.stock.snapshotConfiguration());
        assertThat(ours.getCopyOfBuffer()).isEqualTo(stock.getCopyOfBuffer());
        TypeSerializerSnapshot<Object> snapshot =
                TypeSerializerSnapshot.readVersionedSnapshot(
                        new DataInputDeserializer(stock.getCopyOfBuffer()),
                        getClass().getClassLoader());
        assertThat(snapshot.restoreSerializer().deserialize(new DataInputDeserializer(record)))
                .isEqualTo("a record");
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            TypeSerializer<?> read = (TypeSerializer<?>) in.readObject();
            assertThat(read).isEqualTo(pair.ours).hasSameHashCodeAs(pair.ours);
            assertThat(read.deserialize(new DataInputDeserializer(record))).isEqualTo("a record");
            assertThat(((KryoInsides) (Object) read).boostLookAhead() != null)
                    .isEqualTo(Families.RECORDS);
        }
    }

    /** A subclass may make inputs of its own. */
    @Test
    void subclassesAreLeftToStock() throws IOException {
        TypeSerializer<Object> subclass =
                new KryoSerializer<Object>(Object.class, new SerializerConfigImpl()) {};
        DataInputDeserializer in = new DataInputDeserializer(written(subclass, 1, "x"));
        assertThat(subclass.deserialize(in)).isEqualTo(1);
        assertThat(subclass.deserialize(in)).isEqualTo("x");
        KryoInsides insides = (KryoInsides) (Object) subclass;
        assertThat(insides.boostLookAhead()).isNull();
        assertThat(insides.boostInput()).isNotNull();
    }

    /** As stock, which keeps the last view and no other. */
    @Test
    void aViewIsLetGoForAStream() throws Exception {
        byte[] bytes = written(pair.stock, "x");
        DataInputDeserializer view = new DataInputDeserializer(bytes);
        pair.ours.deserialize(view);
        pair.ours.deserialize(new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes)));
        LookAheadInput input = pair.insides().boostLookAhead();
        assertThat(input != null).isEqualTo(Families.RECORDS);
        if (input != null) {
            Field viewBytes = LookAheadInput.class.getSuperclass().getDeclaredField("view");
            viewBytes.setAccessible(true);
            Object memory = viewBytes.get(input);
            Field array = memory.getClass().getDeclaredField("array");
            array.setAccessible(true);
            assertThat(array.get(memory)).isNull();
        }
        view.setBuffer(bytes);
        assertThat(pair.ours.deserialize(view)).isEqualTo("x");
        assertThat(view.available()).isZero();
    }

    /** Nothing is allocated for a record, and less for a view than by stock. */
    @Test
    void nothingIsAllocatedThatStockDoesNot() throws IOException {
        byte[] bytes = written(pair.stock, 1L, "some text", new int[20], new Holder());
        for (int views : new int[] {1, 2}) {
            assertThat(allocated(pair.ours, bytes, views))
                    .as("from views: %d", views)
                    .isPositive()
                    .isLessThanOrEqualTo(allocated(pair.stock, bytes, views));
        }
    }

    private static long allocated(TypeSerializer<Object> reader, byte[] bytes, int count) {
        DataInputDeserializer[] views = new DataInputDeserializer[count];
        Arrays.setAll(views, i -> new DataInputDeserializer());
        return Allocation.ofEach(
                60,
                () -> {
                    for (DataInputDeserializer each : views) {
                        each.setBuffer(bytes);
                    }
                },
                () -> {
                    for (int i = 0; i < 4; i++) {
                        for (DataInputDeserializer each : views) {
                            reader.deserialize(each);
                        }
                    }
                });
    }
}
