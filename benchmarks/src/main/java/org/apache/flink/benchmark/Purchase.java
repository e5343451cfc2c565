// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Random;
import java.util.stream.IntStream;

/** A POJO of eight fields, one of them a POJO, none of which is left to Kryo. */
public class Purchase {

    /** So many purchases exist, each of a customer of its own. */
    static final int PURCHASES = 1024;

    /** They are made in so many shops, in turn. */
    static final int SHOPS = 64;

    public long id;
    public String customer;
    public int shop;
    public int quantity;
    public double price;
    public long time;
    public boolean paid;
    public Address address;

    /** Where it goes. */
    public static class Address {
        public String city;
        public int postcode;
    }

    /** Ready-made purchases, the same array at every call. */
    static Purchase[] all() {
        return Made.ALL;
    }

    private static final class Made {
        private static final Purchase[] ALL = make();

        private static Purchase[] make() {
            Random random = new Random(PURCHASES);
            return IntStream.range(0, PURCHASES)
                    .mapToObj(id -> purchase(id, random))
                    .toArray(Purchase[]::new);
        }

        private static Purchase purchase(int id, Random random) {
            Purchase purchase = new Purchase();
            purchase.id = id;
            purchase.customer = "customer " + id;
            purchase.shop = id % SHOPS;
            purchase.quantity = 1 + random.nextInt(100);
            purchase.price = random.nextDouble();
            purchase.time = random.nextLong();
            purchase.paid = random.nextBoolean();
            purchase.address = new Address();
            purchase.address.city = TextKind.ASCII.draw(8, random);
            purchase.address.postcode = random.nextInt(100_000);
            return purchase;
        }
    }
}
