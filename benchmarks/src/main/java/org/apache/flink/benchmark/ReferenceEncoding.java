// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.ByteArrayOutputStream;

/**
 * Flink's string format, written out plainly: length plus one, then the code units, each as a
 * base-128 number with the low group first.
 *
 * <p>Input for the read benchmarks and the check of the write benchmarks come from here and not
 * from {@code StringValue}: with profile {@code pure} nothing but the measured loop may pass
 * through the measured call sites.
 */
final class ReferenceEncoding {

    private ReferenceEncoding() {}

    static byte[] encode(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() * 3 + 5);
        writeVarint(bytes, text.length() + 1);
        for (int i = 0; i < text.length(); i++) {
            writeVarint(bytes, text.charAt(i));
        }
        return bytes.toByteArray();
    }

    private static void writeVarint(ByteArrayOutputStream bytes, int value) {
        int rest = value;
        while (rest >= 0x80) {
            bytes.write(rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes.write(rest);
    }
}
