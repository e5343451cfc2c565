// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

/**
 * The POJO of the job benchmarks: the field types of the upstream suite's one. {@link #remark} is
 * declared as {@code Object} there, so Flink hands it to Kryo, a cost that strings have no part in.
 */
public class Order {
    public int id;
    public String name;
    public String[] stepNames;
    public Step[] steps;
    public int customer;
    public int shop;
    public int carrier;
    public Object remark;

    /** A POJO inside the POJO. */
    public static class Step {
        public int id;
        public String name;

        /** For Flink. */
        public Step() {}

        Step(int id, String name) {
            this.id = id;
            this.name = name;
        }
    }
}
