// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

/** What windows collect: a number with a key, as a POJO of 12 bytes. */
public class KeyedValue {
    public int key;
    public long value;

    /** For Flink's deserialization. */
    public KeyedValue() {}

    KeyedValue(int key, long value) {
        this.key = key;
        this.value = value;
    }
}
