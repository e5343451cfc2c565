// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** The wire format spelled out slowly, and inputs that no writer would write. */
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

    /** A string whose length field and characters are padded with zero groups. */
    public static byte[] padded(String text, int lengthBytes, SplittableRandom random, int most) {
        return padded(text, 1, lengthBytes, random, most);
    }

    /** The same with a length field as of {@link #encoded(String, int)}. */
    public static byte[] padded(
            String text, int added, int lengthBytes, SplittableRandom random, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, text.length() + added, lengthBytes);
        for (char c : text.toCharArray()) {
            varint(out, c, 1 + random.nextInt(most));
        }
        return out.toByteArray();
    }

    /** Cut-off, padded, over-long, negative, huge and randomly damaged values. */
    public static List<byte[]> malformed() {
        return malformed(1);
    }

    /** The same with length fields as of {@link #encoded(String, int)}. */
    public static List<byte[]> malformed(int added) {
        SplittableRandom random = new SplittableRandom(21);
        List<byte[]> all = new ArrayList<>();
        String[] texts = {
            "",
            "a",
            "flink",
            "exactly8",
            "nine char",
            "caf\u00e9",
            "\u043f\u0440\u0438\u0432\u0435\u0442",
            "\u6f22\u5b57\u6f22\u5b57\u6f22",
            "a\u00e9\u0416\u6f22\ud83d\ude00",
            "x".repeat(70),
            "\u0416".repeat(70),
            "\u00e9".repeat(130),
            "ascii first, then \u0416, and on ".repeat(5)
        };
        for (String text : texts) {
            byte[] whole = encoded(text, added);
            for (int length = 0; length < whole.length; length++) {
                all.add(Arrays.copyOf(whole, length));
            }
            for (int most = 1; most <= 9; most++) {
                all.add(padded(text, added, Math.min(most, 9), random, most));
            }
            for (int i = 0; i < Texts.cases() / 200; i++) {
                byte[] damaged = whole.clone();
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                all.add(damaged);
                byte[] noise = new byte[1 + random.nextInt(40)];
                for (int k = 0; k < noise.length; k++) {
                    noise[k] = (byte) random.nextInt();
                }
                // A length that often fits, so that the characters are reached.
                noise[0] = (byte) random.nextInt(noise.length + 2);
                all.add(noise);
            }
        }
        for (int value : new int[] {-1, Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -128}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            varint(out, value, 1);
            all.add(out.toByteArray());
            out.write(new byte[20], 0, 20);
            all.add(out.toByteArray());
        }
        all.add(bytes(0x80));
        all.add(bytes(0x80, 0x00));
        all.add(bytes(0x81, 0x00));
        all.add(bytes(0x80, 0x80, 0x80, 0x80, 0x10));
        all.add(bytes(0x82, 0x80, 0x80, 0x80, 0x80, 0x00, 'a'));
        all.add(bytes(0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 'a'));
        all.add(bytes(0x03, 0x80, 0x80, 0x80, 0x00, 'b'));
        all.add(bytes(0x03, 0xFF, 0xFF, 0xFF, 0x7F, 'b'));
        all.add(bytes(0x03, 0xFF, 0xFF, 0x7F, 'b'));
        all.add(bytes(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF));
        return all;
    }

    /** Length fields far above the bytes that follow, beyond stock's kept array of 2048. */
    public static List<byte[]> hugeLengths() {
        List<byte[]> all = new ArrayList<>();
        for (int length : new int[] {2050, 2051, 16384, 20_000, 1_000_000}) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            varint(out, length, 1);
            all.add(out.toByteArray());
            for (int i = 0; i < 100; i++) {
                out.write('a');
            }
            all.add(out.toByteArray());
        }
        return all;
    }

    /** A length field and so many bytes of ASCII, fewer than it says. */
    public static byte[] lie(int length, int present) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(out, length, 1);
        for (int i = 0; i < present; i++) {
            out.write('a');
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

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
