// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** POJOs in a POJO: one, and two lists, of POJOs and of numbers. */
public class Basket {

    /** Lists have a serializer of their own on every line, also where Kryo would get them. */
    static final TypeInformation<Basket> TYPE =
            Types.POJO(
                    Basket.class,
                    Map.of(
                            "id", Types.LONG,
                            "first", TypeInformation.of(Purchase.class),
                            "others", Types.LIST(TypeInformation.of(Purchase.Address.class)),
                            "quantities", Types.LIST(Types.INT)));

    public long id;
    public Purchase first;
    public List<Purchase.Address> others;
    public List<Integer> quantities;

    /** Ready-made baskets, the same array at every call. */
    static Basket[] all() {
        return Made.ALL;
    }

    private static final class Made {
        private static final Basket[] ALL = make();

        private static Basket[] make() {
            Purchase[] purchases = Purchase.all();
            Basket[] baskets = new Basket[purchases.length];
            for (int i = 0; i < baskets.length; i++) {
                Purchase next = purchases[(i + 1) % purchases.length];
                Basket basket = new Basket();
                basket.id = i;
                basket.first = purchases[i];
                basket.others = List.of(purchases[i].address, next.address);
                basket.quantities = List.of(purchases[i].quantity, next.quantity, i);
                baskets[i] = basket;
            }
            return baskets;
        }
    }
}
