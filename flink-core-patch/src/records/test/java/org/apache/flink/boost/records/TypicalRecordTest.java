// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.GenericArraySerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;
import org.apache.flink.boost.records.patches.PojoSerializerPatch;
import org.apache.flink.boost.sidebyside.Allocation;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** Classes as jobs have them, with the serializers that Flink chooses for their fields. */
class TypicalRecordTest {

    /** Constants that are of classes of their own. */
    public enum Unit {
        PIECE,
        KILOGRAM {
            @Override
            boolean isWeight() {
                return true;
            }
        };

        boolean isWeight() {
            return false;
        }
    }

    /** A class with a type variable as the type of a field, and of an array's elements. */
    public static class Keyed<K, E extends Number> {
        public K key;
        public E number;
        public K[] others;
    }

    /** A POJO inside others. */
    public static class Money {
        public long cents;
        public String currency;

        /** For Flink. */
        public Money() {}

        Money(long cents, String currency) {
            this.cents = cents;
            this.currency = currency;
        }
    }

    /** All of that at once. */
    public static class Sale extends Keyed<String, Integer> {
        public Unit unit;
        public Unit[] units;
        public Money price;
        public Money[] parts;
        public Money[][] tables;
        public List<Money> list;
        public Map<String, Long> names;
        public Object any;
        public int[] counts;
        public boolean paid;
        public byte grade;
    }

    private static RecordPair pair() {
        Object serializer =
                TypeInformation.of(Sale.class).createSerializer(new SerializerConfigImpl());
        PojoSerializerPatch.Memory insides = (PojoSerializerPatch.Memory) serializer;
        return new RecordPair(Sale.class, insides.boostFields(), insides.boostSerializers());
    }

    private static Sale sale() {
        Money money = new Money(5, "EUR");
        Sale sale = new Sale();
        sale.key = "key";
        sale.number = 1_000;
        sale.others = new String[] {"a", null, "b"};
        sale.unit = Unit.KILOGRAM;
        sale.units = new Unit[] {Unit.PIECE, null, Unit.KILOGRAM};
        sale.price = money;
        sale.parts = new Money[] {money, null, new Money(-1, null)};
        sale.tables = new Money[][] {{money}, {}, {null}};
        sale.list = new ArrayList<>(Arrays.asList(money, new Money(2, "x")));
        sale.names = new HashMap<>(Map.of("one", 1_000L));
        sale.any = 7L;
        sale.counts = new int[] {1, 2};
        sale.paid = true;
        sale.grade = -3;
        return sale;
    }

    @Test
    void fullOnesEmptyOnesAndPartsAreMovedAsByStock() throws Exception {
        RecordPair pair = pair();
        pair.assertSame(sale());
        pair.assertSame(new Sale());
        for (int i = 0; i < pair.fields.length; i++) {
            if (!pair.fields[i].getType().isPrimitive()) {
                Sale sale = sale();
                pair.fields[i].set(sale, null);
                pair.assertSame(sale);
            }
        }
    }

    /** Without what Kryo reads: at the end of a network buffer stock waits for ever there. */
    @Test
    void cutOffAnywhereTheyEndAsByStock() throws Exception {
        RecordPair pair = pair();
        Sale sale = sale();
        sale.any = null;
        // Before 2.0 Flink leaves these to Kryo, too.
        sale.list = null;
        sale.names = null;
        byte[] bytes = pair.bytes(sale);
        for (int length = 1; length < bytes.length; length++) {
            pair.assertSameRead(Arrays.copyOf(bytes, length));
        }
    }

    /** Also where stock sets the fields of a new object before it reads them. */
    @Test
    void nothingIsAllocatedThatStockDoesNot() throws Exception {
        MadeType made = MadeType.pojo("made.Wide");
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[20];
        for (int i = 0; i < serializers.length; i++) {
            made = made.with("f" + i, i == 0 ? Integer[].class : String.class);
            serializers[i] = StringSerializer.INSTANCE;
        }
        serializers[0] = new GenericArraySerializer<>(Integer.class, IntSerializer.INSTANCE);
        RecordPair pair = new RecordPair(made.in(new MadeLoader()), serializers);
        assertThat(pair.reason()).isNull();
        TypeSerializer<Object> ours =
                StockSerializers.ourPojo(pair.type, pair.fields, pair.serializers);
        DataOutputSerializer out = new DataOutputSerializer(64);
        pair.stock.serialize(pair.type.getDeclaredConstructor().newInstance(), out);
        byte[] bytes = out.getCopyOfBuffer();
        assertThat(allocated(ours, bytes)).isBetween(1L, allocated(pair.stock, bytes));
    }

    private static long allocated(TypeSerializer<Object> reader, byte[] bytes) {
        DataInputDeserializer view = new DataInputDeserializer();
        return Allocation.ofEach(200, () -> view.setBuffer(bytes), () -> reader.deserialize(view));
    }

    /** A class whose initialiser fails. */
    public static class Broken {
        static final int FAILED = fail();
        public int number;
    }

    /** Another one. */
    public static class BrokenToo {
        static final int FAILED = fail();
        public int number;
    }

    private static int fail() {
        throw new IllegalStateException("no");
    }

    /** Neither the first failure nor those after it are wrapped, unlike a constructor's. */
    @Test
    void aClassThatCannotBeInitialisedFailsAsInStock() throws Exception {
        RecordPair one = new RecordPair(Broken.class, Broken.class.getFields(), only());
        RecordPair other = new RecordPair(BrokenToo.class, BrokenToo.class.getFields(), only());
        byte[] bytes = {2, 0, 0, 0, 0, 5};
        assertThat(other.reason()).isNull();
        String first = one.stockRead(bytes);
        assertThat(first).startsWith("threw / java.lang.ExceptionInInitializerError: ");
        assertThat(other.ourRead(bytes)).isEqualTo(first);
        String then = one.stockRead(bytes);
        assertThat(then).startsWith("threw / java.lang.NoClassDefFoundError: ");
        assertThat(one.ourRead(bytes)).isEqualTo(then);
    }

    private static IntSerializer only() {
        return IntSerializer.INSTANCE;
    }
}
