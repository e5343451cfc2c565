// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

import java.util.Arrays;

/** Records of every kind, each made of a text and a number. */
final class RecordTypes {

    static final TypeInformation<Buyer> BUYER = TypeInformation.of(Buyer.class);
    static final TypeInformation<Purchase> PURCHASE = Types.POJO(Purchase.class);
    static final TypeInformation<Visit> VISIT = TypeInformation.of(Visit.class);
    static final TypeInformation<Parcel> PARCEL = Types.GENERIC(Parcel.class);
    static final TypeInformation<Tuple3<String, Long, Purchase>> TUPLE =
            Types.TUPLE(Types.STRING, Types.LONG, PURCHASE);
    static final TypeInformation<Row> ROW =
            Types.ROW(Types.STRING, Types.LONG, VISIT, Types.STRING);

    private static final long GENERATION_SECONDS = 60;

    private RecordTypes() {}

    static Tuple3<String, Long, Purchase> tuple(String text, long number) {
        return Tuple3.of(text, number, Purchase.of(text, number));
    }

    static Row row(String text, long number) {
        RowKind kind = RowKind.values()[(int) (number % 4)];
        return Row.ofKind(kind, text, number, Visit.of(text, number), null);
    }

    /**
     * Copies records until a patched Flink does it by generated code. A short job would be over
     * before.
     */
    static void awaitGeneratedCode() throws InterruptedException {
        if (!isWoven()) {
            return;
        }
        long end = System.nanoTime() + GENERATION_SECONDS * 1_000_000_000;
        while (System.nanoTime() < end) {
            // One thread generates them in this order.
            copy(TUPLE, tuple("", 1));
            copy(ROW, row("", 1));
            copy(BUYER, Buyer.of(""));
            copy(PURCHASE, Purchase.of("", 1));
            copy(VISIT, Visit.of("", 1));
            if (Makers.haveSeenGenerated("purchase") && Makers.haveSeenGenerated("visit")) {
                return;
            }
            Thread.sleep(5);
        }
    }

    private static boolean isWoven() {
        return Arrays.stream(PojoSerializer.class.getInterfaces())
                .anyMatch(each -> each.getName().startsWith("org.apache.flink.boost.records."));
    }

    private static <T> void copy(TypeInformation<T> type, T value) {
        TypeSerializer<T> serializer = type.createSerializer(new SerializerConfigImpl());
        serializer.copy(value);
    }
}
