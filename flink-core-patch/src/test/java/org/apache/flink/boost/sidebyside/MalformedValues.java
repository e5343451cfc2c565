// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;

/**
 * Encoded values that no writer writes. What the length field counts differs between the static and
 * the instance methods by one, so each value is sound for one of them at most.
 */
public final class MalformedValues {

    private static final String[] TEXTS = {
        "",
        "a",
        "flink",
        "exactly8",
        "nine char",
        "caf\u00e9",
        "\u043f\u0440\u0438\u0432\u0435\u0442",
        "\u6f22\u5b57\u6f22\u5b57\u6f22",
        "a\u00e9\u0416\u6f22\ud83d\ude00",
        "sixty-four ASCII characters, and a few more, so that it is long..",
        "\u0416".repeat(70),
        "\u00e9".repeat(130),
        "ascii first, then \u0416, and on ".repeat(3)
    };

    private MalformedValues() {}

    /** All of those below. */
    public static List<byte[]> all() {
        List<byte[]> all = new ArrayList<>();
        all.addAll(cut());
        all.addAll(lengthFields());
        all.addAll(overlongCharacters());
        all.addAll(damaged());
        return all;
    }

    /** Every text, ended at every byte. */
    static List<byte[]> cut() {
        List<byte[]> all = new ArrayList<>();
        for (String text : TEXTS) {
            byte[] whole = value(text.length() + 1, 1, body(text));
            for (int length = 0; length <= whole.length; length++) {
                all.add(Arrays.copyOf(whole, length));
            }
        }
        return all;
    }

    /** Length fields around the right one, negative, padded and over-long, in front of a text. */
    static List<byte[]> lengthFields() {
        List<byte[]> all = new ArrayList<>();
        for (byte[] body : bodies()) {
            int n = body.length;
            int[] lengths = {
                0,
                1,
                n - 1,
                n,
                n + 1,
                n + 2,
                126,
                127,
                128,
                129,
                2047,
                2048,
                2049,
                2050,
                -1,
                -2,
                Integer.MIN_VALUE,
                Integer.MIN_VALUE + 1,
                -128
            };
            for (int length : lengths) {
                for (int size : new int[] {1, 2, 5, 6, 10}) {
                    all.add(value(length, size, body));
                }
            }
            // Groups beyond the 32nd bit are shifted in again from the bottom.
            for (int size : new int[] {6, 7, 10, 11, 12}) {
                all.add(wrapped(size, 1, body));
                all.add(wrapped(size, 0x7F, body));
            }
            all.add(wrapped(5, 0x10, body));
            all.add(wrapped(5, 0x7F, body));
        }
        byte[] endless = new byte[40];
        Arrays.fill(endless, (byte) 0xFF);
        all.add(endless);
        return all;
    }

    /** Characters of one to ten bytes, padded with zeros or not, at the ends and between others. */
    static List<byte[]> overlongCharacters() {
        SplittableRandom random = new SplittableRandom(70);
        List<byte[]> all = new ArrayList<>();
        for (String text : TEXTS) {
            for (int most = 1; most <= 9; most++) {
                all.add(Wire.padded(text, most, random, most));
            }
        }
        for (int n : new int[] {1, 4, 9, 33, 70}) {
            for (char other : new char[] {'x', '\u00e9', '\u0416', '\u6f22'}) {
                for (int place : new int[] {n / 2, n - 1}) {
                    for (int size : new int[] {2, 3, 4, 5, 6, 10}) {
                        for (int last : new int[] {0x00, 0x01, 0x04, 0x7F}) {
                            byte[] character = new byte[size];
                            Arrays.fill(character, (byte) (last == 0 ? 0x80 : 0xAA));
                            character[0] = (byte) 0xE9;
                            character[size - 1] = (byte) last;
                            byte[] before = body(String.valueOf(other).repeat(place));
                            byte[] behind = body(String.valueOf(other).repeat(n - 1 - place));
                            byte[] body = concatenated(concatenated(before, character), behind);
                            all.add(value(n + 1, 1, body));
                        }
                    }
                }
            }
        }
        return all;
    }

    /** Seeded damage: one byte of a sound value replaced, and noise behind a length that fits. */
    static List<byte[]> damaged() {
        SplittableRandom random = new SplittableRandom(71);
        List<byte[]> all = new ArrayList<>();
        for (String text : TEXTS) {
            byte[] whole = value(text.length() + 1, 1, body(text));
            for (int i = 0; i < Math.max(60, Texts.cases() / 200); i++) {
                byte[] damaged = whole.clone();
                int index = 1 + random.nextInt(damaged.length);
                damaged[index % damaged.length] = (byte) random.nextInt();
                all.add(modest(damaged));
                byte[] noise = new byte[1 + random.nextInt(80)];
                for (int k = 1; k < noise.length; k++) {
                    noise[k] = (byte) random.nextInt();
                }
                noise[0] = (byte) random.nextInt(Math.min(0x80, noise.length + 3));
                all.add(noise);
            }
        }
        return all;
    }

    /** What follows a length field: of each size of character, and nothing. */
    static List<byte[]> bodies() {
        List<byte[]> all = new ArrayList<>();
        for (String text : new String[] {"", "abcdefghij", "\u0416\u0416\u0416", "\u6f22a"}) {
            all.add(body(text));
        }
        all.add(body("x".repeat(100)));
        return all;
    }

    /** A length field and so many bytes of ASCII, fewer than it says. */
    public static byte[] lie(int length, int present) {
        return value(length, 1, body("a".repeat(present)));
    }

    /** A length field of at least that many bytes, and what follows it. */
    static byte[] value(int length, int size, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Wire.varint(out, length, size);
        out.write(body, 0, body.length);
        return out.toByteArray();
    }

    /**
     * A length field of that size that is 2 but for its last group, wherever that is shifted to.
     */
    static byte[] wrapped(int size, int last, byte[] body) {
        byte[] field = new byte[size];
        Arrays.fill(field, (byte) 0x80);
        field[0] = (byte) 0x82;
        field[size - 1] = (byte) last;
        return concatenated(field, body);
    }

    /** Without a length that stock would allocate hundreds of megabytes for. */
    private static byte[] modest(byte[] value) {
        if (value.length > 2 && value[0] < 0 && value[1] < 0) {
            value[1] &= 0x7F;
        }
        return value;
    }

    private static byte[] body(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (char c : text.toCharArray()) {
            Wire.varint(out, c, 1);
        }
        return out.toByteArray();
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
