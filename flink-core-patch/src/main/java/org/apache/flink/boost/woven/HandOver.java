// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

/** What a patch of a method that returns an object returns where stock's body is to run. */
public final class HandOver {

    /** Nobody else has it: woven methods know it by identity. */
    @org.flinkboost.weaver.patch.HandOver public static final Object TO_STOCK = new Object();

    private HandOver() {}
}
