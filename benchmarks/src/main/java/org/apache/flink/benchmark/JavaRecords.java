// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.lang.reflect.Constructor;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** The purchases as Java records, whose class only a JVM from 17 on can load. */
final class JavaRecords {

    /** What the jobs add up. */
    public interface Quantity {
        int quantity();
    }

    private JavaRecords() {}

    /** Whether this JVM can have them. */
    static boolean areSupported() {
        return Runtime.version().feature() >= 17;
    }

    /** Ready-made records, the same array at every call. */
    static Quantity[] all() {
        return Made.ALL;
    }

    /** Their type: from Flink 1.19 on that of a POJO. */
    @SuppressWarnings("unchecked")
    static TypeInformation<Quantity> type() {
        return (TypeInformation<Quantity>) TypeInformation.of(Made.TYPE);
    }

    private static final class Made {
        private static final Class<?> TYPE = load();
        private static final Quantity[] ALL =
                Arrays.stream(Purchase.all()).map(Made::of).toArray(Quantity[]::new);

        private static Class<?> load() {
            try {
                return Class.forName("org.apache.flink.benchmark.PurchaseRecord");
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("The suite was built without it.", e);
            }
        }

        private static Quantity of(Purchase purchase) {
            Constructor<?> constructor = TYPE.getConstructors()[0];
            try {
                return (Quantity)
                        constructor.newInstance(
                                purchase.id,
                                purchase.customer,
                                purchase.shop,
                                purchase.quantity,
                                purchase.price,
                                purchase.time,
                                purchase.paid,
                                purchase.address);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
