// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

/** {@link Purchase} as a Java record. Java has them since 16; the rest of the suite is for 11. */
public record PurchaseRecord(
        long id,
        String customer,
        int shop,
        int quantity,
        double price,
        long time,
        boolean paid,
        Purchase.Address address)
        implements JavaRecords.Quantity {}
