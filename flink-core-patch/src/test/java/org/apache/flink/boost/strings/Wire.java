// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The wire format spelled out slowly. */
public final class Wire {

    private Wire() {}

    /** A string as the static methods write it; null is one zero byte. */
    public static byte[] encoded(String text) {
        return encoded(text, 1);
    }

    /**
     * A string whose length field counts that much beyond the characters: 1 as the static methods
     * write it, 0 as the instance methods do.
     */
    public static byte[] encoded(String text, int added) {
        if (text == null) {
            return new byte[1];
        }
        // The tests encode millions of strings: no stream, which takes a lock for each byte.
        byte[] bytes = new byte[5 + 3 * text.length()];
        int end = varint(bytes, 0, text.length() + added);
        for (int i = 0; i < text.length(); i++) {
            end = varint(bytes, end, text.charAt(i));
        }
        return Arrays.copyOf(bytes, end);
    }

    /** Writes a base-128 varint and returns where it ends. */
    private static int varint(byte[] bytes, int start, int value) {
        int end = start;
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            bytes[end++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[end++] = (byte) rest;
        return end;
    }

    /**
     * A string whose length field is padded with zero groups to at least so many bytes, and each
     * character to one to {@code most}.
     */
    public static byte[] padded(String text, int lengthBytes, SplittableRandom random, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, text.length() + 1, lengthBytes);
        for (char c : text.toCharArray()) {
            varint(out, c, 1 + random.nextInt(most));
        }
        return out.toByteArray();
    }

    /** What the length field says, or 0 where it is cut off; over-long ones as stock's loop. */
    public static int claimedLength(byte[] bytes) {
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            length |= (bytes[i] & 0x7F) << 7 * i;
            if (bytes[i] >= 0) {
                return length;
            }
        }
        return 0;
    }

    /** A base-128 varint, padded with zero groups to at least that many bytes. */
    public static void varint(ByteArrayOutputStream out, int value, int atLeast) {
        int rest = value;
        int written = 1;
        while ((rest & ~0x7F) != 0 || written < atLeast) {
            out.write(rest | 0x80);
            rest >>>= 7;
            written++;
        }
        out.write(rest);
    }

    /** For messages. */
    public static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(Character.forDigit(b >> 4 & 0xF, 16));
            text.append(Character.forDigit(b & 0xF, 16));
        }
        return text.toString();
    }
}
