// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;

/** What a record of the record benchmarks is: a value of exactly as many bytes as asked for. */
enum RecordType {
    /** An ASCII string. */
    STRING {
        @Override
        TypeSerializer<?> newSerializer() {
            return StringSerializer.INSTANCE;
        }

        @Override
        Object draw(int bytes, Random random) {
            return text(bytes, random);
        }
    },

    /** A {@code Tuple2} of a number and an ASCII string. */
    TUPLE {
        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        TypeSerializer<?> newSerializer() {
            return new TupleSerializer(
                    Tuple2.class,
                    new TypeSerializer<?>[] {IntSerializer.INSTANCE, StringSerializer.INSTANCE});
        }

        @Override
        Object draw(int bytes, Random random) {
            return Tuple2.of(random.nextInt(), text(bytes - Integer.BYTES, random));
        }
    },

    /** An array of bytes, whose serializer has next to nothing to do: the path without a codec. */
    BYTES {
        @Override
        TypeSerializer<?> newSerializer() {
            return BytePrimitiveArraySerializer.INSTANCE;
        }

        @Override
        Object draw(int bytes, Random random) {
            byte[] array = new byte[bytes - Integer.BYTES];
            random.nextBytes(array);
            return array;
        }
    };

    /** A serializer of its own for each thread. */
    abstract TypeSerializer<?> newSerializer();

    /** A value that its serializer writes as that many bytes. */
    abstract Object draw(int bytes, Random random);

    /**
     * The type that a benchmark parameter names.
     *
     * @throws IllegalArgumentException for an unknown name, with the known ones
     */
    static RecordType named(String parameter) {
        return Arrays.stream(values())
                .filter(type -> type.name().toLowerCase(Locale.ROOT).equals(parameter))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Unknown type '"
                                                + parameter
                                                + "'; choose string, tuple or bytes"));
    }

    /** A string that takes that many bytes, its length field of up to three bytes included. */
    private static String text(int bytes, Random random) {
        for (int field = 1; field <= 3; field++) {
            int length = bytes - field;
            boolean fits = length + 1 < 1 << 7 * field && length + 1 >= 1 << 7 * (field - 1);
            if (length >= 0 && (fits || length == 0 && field == 1)) {
                return TextKind.ASCII.draw(length, random);
            }
        }
        throw new IllegalArgumentException("No string takes exactly " + bytes + " bytes");
    }
}
