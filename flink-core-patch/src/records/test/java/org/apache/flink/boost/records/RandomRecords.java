// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BigDecSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.IntPrimitiveArraySerializer;
import org.apache.flink.boost.records.MadeType.MadeLoader;

/** Classes of records at random, with values for them; each in a class loader of its own. */
final class RandomRecords {

    private final Random random;
    private final MadeLoader loader = new MadeLoader();
    private int classes;

    RandomRecords(long seed) {
        random = new Random(seed);
    }

    /** A class, its serializers and how to fill it. */
    final class Kind {

        final RecordPair pair;
        private final List<Function<Random, Object>> values;

        private Kind(RecordPair pair, List<Function<Random, Object>> values) {
            this.pair = pair;
            this.values = values;
        }

        Object make() {
            try {
                Object[] all = values.stream().map(each -> each.apply(random)).toArray();
                return pair.make(all);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** A type of a field with a serializer and values for it. */
    private static final class Column {
        final Class<?> type;
        final TypeSerializer<?> serializer;
        final Function<Random, Object> value;

        Column(Class<?> type, TypeSerializer<?> serializer, Function<Random, Object> value) {
            this.type = type;
            this.serializer = serializer;
            this.value = value;
        }
    }

    /** A POJO or a Java record of up to {@code most} fields, some of them records again. */
    Kind kind(int most, int depth) throws Exception {
        boolean record = random.nextBoolean() && Runtime.version().feature() >= 17;
        String name = "made.Type" + classes++;
        MadeType made = record ? MadeType.record(name) : MadeType.pojo(name);
        int count = 1 + random.nextInt(most);
        List<Column> columns = new ArrayList<>();
        MadeType base = MadeType.pojo(name + "Base");
        boolean inherits = !record && random.nextInt(3) == 0;
        for (int i = 0; i < count; i++) {
            columns.add(column(depth));
            MadeType owner = inherits && random.nextBoolean() ? base : made;
            owner.with("f" + i, columns.get(i).type);
        }
        if (inherits) {
            made.extending(base.in(loader));
        }
        Class<?> type = made.in(loader);
        Field[] declared = new Field[count];
        for (int i = 0; i < count; i++) {
            declared[i] = field(type, "f" + i);
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(i);
        }
        if (random.nextBoolean()) {
            Collections.shuffle(order, random);
        }
        Field[] fields = order.stream().map(i -> declared[i]).toArray(Field[]::new);
        Arrays.stream(fields).forEach(each -> each.setAccessible(true));
        TypeSerializer<?>[] serializers =
                order.stream()
                        .map(i -> columns.get(i).serializer)
                        .toArray(TypeSerializer<?>[]::new);
        List<Function<Random, Object>> values = new ArrayList<>();
        order.forEach(i -> values.add(columns.get(i).value));
        return new Kind(new RecordPair(type, fields, serializers), values);
    }

    /** A field of the class, or of its superclass. */
    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        return Arrays.stream(type.getDeclaredFields()).anyMatch(each -> each.getName().equals(name))
                ? type.getDeclaredField(name)
                : type.getSuperclass().getDeclaredField(name);
    }

    private Column column(int depth) throws Exception {
        switch (random.nextInt(depth > 0 ? 16 : 13)) {
            case 0:
                return plain(boolean.class, BooleanSerializer.INSTANCE, Random::nextBoolean);
            case 1:
                return plain(byte.class, ByteSerializer.INSTANCE, r -> (byte) r.nextInt());
            case 2:
                return plain(short.class, ShortSerializer.INSTANCE, r -> (short) r.nextInt());
            case 3:
                return plain(char.class, CharSerializer.INSTANCE, r -> (char) r.nextInt());
            case 4:
                return plain(int.class, IntSerializer.INSTANCE, Random::nextInt);
            case 5:
                return plain(long.class, LongSerializer.INSTANCE, Random::nextLong);
            case 6:
                return plain(float.class, FloatSerializer.INSTANCE, Random::nextFloat);
            case 7:
                return plain(double.class, DoubleSerializer.INSTANCE, Random::nextDouble);
            case 8:
                return orNull(Integer.class, IntSerializer.INSTANCE, Random::nextInt);
            case 9:
                return orNull(Double.class, DoubleSerializer.INSTANCE, Random::nextDouble);
            case 10:
                return orNull(String.class, StringSerializer.INSTANCE, RandomRecords::text);
            case 11:
                return orNull(
                        int[].class,
                        IntPrimitiveArraySerializer.INSTANCE,
                        r -> r.ints(r.nextInt(4)).toArray());
            case 12:
                return orNull(
                        BigDecimal.class,
                        BigDecSerializer.INSTANCE,
                        r -> BigDecimal.valueOf(r.nextLong(), r.nextInt(9)));
            case 13:
                return orNull(Object.class, StringSerializer.INSTANCE, RandomRecords::text);
            case 14:
                Kind element = kind(3, depth - 1);
                return orNull(
                        List.class,
                        new ListSerializer<>(nested(element)),
                        r -> new ArrayList<>(Arrays.asList(element.make(), element.make())));
            default:
                Kind kind = kind(4, depth - 1);
                return orNull(kind.pair.type, nested(kind), r -> kind.make());
        }
    }

    private static TypeSerializer<Object> nested(Kind kind) {
        RecordPair pair = kind.pair;
        return StockSerializers.ourPojo(pair.type, pair.fields, pair.serializers);
    }

    private static Column plain(
            Class<?> type, TypeSerializer<?> serializer, Function<Random, Object> value) {
        return new Column(type, serializer, value);
    }

    private static Column orNull(
            Class<?> type, TypeSerializer<?> serializer, Function<Random, Object> value) {
        return new Column(type, serializer, r -> r.nextInt(4) == 0 ? null : value.apply(r));
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int most = random.nextBoolean() ? 0x80 : 0x10000;
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append((char) random.nextInt(most));
        }
        return text.toString();
    }
}
