// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple8;
import org.apache.flink.benchmark.line.Serializers;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.types.Row;

/** The forms that a purchase has in the benchmarks of single records; {@link #AVRO} is an order. */
enum RecordForm {
    POJO {
        @Override
        TypeSerializer<?> serializer() {
            return of(TypeInformation.of(Purchase.class));
        }

        @Override
        Object[] records() {
            return Purchase.all();
        }
    },

    /** For JVMs from 17 on. */
    RECORD {
        @Override
        TypeSerializer<?> serializer() {
            return of(JavaRecords.type());
        }

        @Override
        Object[] records() {
            return JavaRecords.all();
        }
    },

    TUPLE {
        @Override
        TypeSerializer<?> serializer() {
            return of(Types.TUPLE(fields()));
        }

        @Override
        Object[] records() {
            return Arrays.stream(Purchase.all())
                    .map(RecordForm::valuesOf)
                    .map(v -> new Tuple8<>(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]))
                    .toArray();
        }
    },

    ROW {
        @Override
        TypeSerializer<?> serializer() {
            return of(Types.ROW(fields()));
        }

        @Override
        Object[] records() {
            return Arrays.stream(Purchase.all()).map(p -> Row.of(valuesOf(p))).toArray();
        }
    },

    KRYO {
        @Override
        TypeSerializer<?> serializer() {
            return of(Types.GENERIC(Purchase.class));
        }

        @Override
        Object[] records() {
            return Purchase.all();
        }
    },

    /** By classes that know their schema. */
    AVRO {
        @Override
        TypeSerializer<?> serializer() {
            return new AvroSerializer<>(AvroOrder.class);
        }

        @Override
        Object[] records() {
            return JobRecords.avroOrders();
        }
    },

    /** By reflection. */
    AVRO_REFLECT {
        @Override
        TypeSerializer<?> serializer() {
            return new AvroSerializer<>(Purchase.class);
        }

        @Override
        Object[] records() {
            return Purchase.all();
        }
    };

    abstract TypeSerializer<?> serializer();

    /** Ready-made records. They are shared: never change them. */
    abstract Object[] records();

    /** A serializer of its own for each thread. */
    @SuppressWarnings("unchecked")
    TypeSerializer<Object> newSerializer() {
        return (TypeSerializer<Object>) serializer();
    }

    boolean isSupported() {
        return this != RECORD || JavaRecords.areSupported();
    }

    /** What each record is written as. */
    byte[][] encodings() throws IOException {
        TypeSerializer<Object> serializer = newSerializer();
        Object[] records = records();
        byte[][] encodings = new byte[records.length][];
        for (int i = 0; i < records.length; i++) {
            encodings[i] = encoding(serializer, records[i]);
        }
        return encodings;
    }

    static byte[] encoding(TypeSerializer<Object> serializer, Object record) throws IOException {
        DataOutputSerializer output = new DataOutputSerializer(64);
        serializer.serialize(record, output);
        return output.getCopyOfBuffer();
    }

    String parameter() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The form that a benchmark parameter names.
     *
     * @throws IllegalArgumentException for an unknown name, with the known ones
     */
    static RecordForm named(String parameter) {
        return Arrays.stream(values())
                .filter(form -> form.parameter().equals(parameter))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Unknown type '"
                                                + parameter
                                                + "'; choose one of "
                                                + all()));
    }

    private static String all() {
        return Arrays.stream(values()).map(RecordForm::parameter).collect(Collectors.joining(", "));
    }

    private static TypeSerializer<?> of(TypeInformation<?> type) {
        return Serializers.of(type, Purchase.class, Purchase.Address.class);
    }

    private static TypeInformation<?>[] fields() {
        return new TypeInformation<?>[] {
            Types.LONG,
            Types.STRING,
            Types.INT,
            Types.INT,
            Types.DOUBLE,
            Types.LONG,
            Types.BOOLEAN,
            TypeInformation.of(Purchase.Address.class)
        };
    }

    private static Object[] valuesOf(Purchase purchase) {
        return new Object[] {
            purchase.id,
            purchase.customer,
            purchase.shop,
            purchase.quantity,
            purchase.price,
            purchase.time,
            purchase.paid,
            purchase.address
        };
    }
}
