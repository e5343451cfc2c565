// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

/** How a record writes its bytes. */
public enum Style {
    /** All at once. */
    ARRAY,
    /** One by one. */
    BYTES,
    /** Eight at a time, the rest one by one. */
    LONGS,
    /** As ASCII strings of up to 100 characters; other bytes than {@code ARRAY} writes. */
    STRINGS
}
