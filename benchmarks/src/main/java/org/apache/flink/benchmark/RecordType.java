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
import org.apache.flink.benchmark.line.TableRow;

/** What a record of the record benchmarks is: a value of as many bytes as asked for. */
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
    },

    /** A row of the SQL path, a number and an ASCII string: a length and words of eight bytes. */
    ROW {
        /** Null bits, the number, and where the string is. */
        private static final int FIXED = 24;

        /** So many characters lie in the fixed part. */
        private static final int INLINE = 7;

        @Override
        TypeSerializer<?> newSerializer() {
            return TableRow.newSerializer();
        }

        @Override
        Object draw(int bytes, Random random) {
            int characters = taken(bytes) - Integer.BYTES - FIXED;
            if (characters < 0) {
                throw new IllegalArgumentException("No row takes " + bytes + " bytes");
            }
            return TableRow.of(
                    random.nextLong(),
                    TextKind.ASCII.draw(characters == 0 ? INLINE : characters, random));
        }

        @Override
        int taken(int bytes) {
            return Integer.BYTES + (bytes - Integer.BYTES) / Long.BYTES * Long.BYTES;
        }
    };

    /** A serializer of its own for each thread. */
    abstract TypeSerializer<?> newSerializer();

    /**
     * A value that its serializer writes as {@link #taken} bytes.
     *
     * @throws IllegalArgumentException when there is none so short
     */
    abstract Object draw(int bytes, Random random);

    /** How many bytes a value takes when so many are asked for: as many, or the next fewer. */
    int taken(int bytes) {
        return bytes;
    }

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
                                                + "'; choose string, tuple, bytes or row"));
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
