// SPDX-License-Identifier: Apache-2.0
package org.acme;

/** A class of a made Flink jar, whose name in the tests is {@code org.acme.Row}. */
public class StockRow {

    public String whose() {
        return "stock";
    }
}
