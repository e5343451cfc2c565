// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A record as jobs have it; its fields come in the order of their names. */
public class Order {

    public int amount;
    public Customer customer;
    public int discount;
    public List<String> items;
    public Map<String, Integer> tags;

    /** A record inside another. */
    public static class Customer {
        public long id;
        public String name;
    }

    static Order of(int amount, int discount) {
        Order order = new Order();
        order.amount = amount;
        order.discount = discount;
        order.customer = new Customer();
        order.customer.id = 77;
        order.customer.name = "Ada";
        order.items = List.of("pen", "ink");
        order.tags = new HashMap<>(Map.of("a", 1, "b", 2));
        return order;
    }
}
