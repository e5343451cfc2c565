// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * What a string is made of. It decides how many bytes a UTF-16 code unit takes in Flink's format:
 * one below 0x80, two below 0x4000, three above.
 *
 * <p>All text is drawn from a {@link Random} with a given seed; its algorithm is part of Java's
 * specification, so every JDK and both sides of a pair see the same strings.
 */
public enum TextKind {
    /** Printable ASCII: one byte each, {@code byte[]} with coder Latin-1 inside the JDK. */
    ASCII {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            for (int i = from; i < to; i++) {
                text[i] = between(random, ' ', '~');
            }
        }
    },

    /** ASCII with one accented letter in about eight: one and two bytes, still coder Latin-1. */
    LATIN1 {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            int accented = from + random.nextInt(to - from);
            for (int i = from; i < to; i++) {
                boolean accent = i == accented || random.nextInt(8) == 0;
                text[i] = accent ? between(random, 'À', 'ÿ') : between(random, ' ', '~');
            }
        }
    },

    /** Russian letters: two bytes each. */
    CYRILLIC {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            for (int i = from; i < to; i++) {
                text[i] = between(random, 'А', 'я');
            }
        }
    },

    /** Unified ideographs: three bytes each. */
    CJK {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            for (int i = from; i < to; i++) {
                text[i] = between(random, '\u4e00', '\u9fa5');
            }
        }
    },

    /** Surrogate pairs, three bytes per half; an odd code unit left over is a BMP symbol. */
    EMOJI {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            int i = from;
            for (; i + 1 < to; i += 2) {
                Character.toChars(0x1F300 + random.nextInt(0x300), text, i);
            }
            if (i < to) {
                text[i] = between(random, '\u2600', '\u26ff');
            }
        }
    },

    /** Words of all other kinds in turn, with spaces between: branches that do not predict well. */
    MIXED {
        @Override
        void fill(char[] text, int from, int to, Random random) {
            TextKind[] others = {ASCII, LATIN1, CYRILLIC, CJK, EMOJI};
            int word = random.nextInt(others.length);
            int i = from;
            while (i < to) {
                int end = Math.min(to, i + 1 + random.nextInt(8));
                others[word++ % others.length].fill(text, i, end, random);
                i = end;
                if (i < to) {
                    text[i++] = ' ';
                }
            }
        }
    };

    /** Fills {@code text[from..to)}; the range is never empty. */
    abstract void fill(char[] text, int from, int to, Random random);

    /** One string of exactly {@code length} code units. */
    public String draw(int length, Random random) {
        char[] text = new char[length];
        if (length > 0) {
            fill(text, 0, length, random);
        }
        return new String(text);
    }

    /** {@code count} different strings of {@code length} code units, the same for the same seed. */
    public String[] drawDistinct(int count, int length, long seed) {
        Random random = new Random(seed);
        Set<String> texts = new LinkedHashSet<>();
        for (int attempts = 0; texts.size() < count; attempts++) {
            if (attempts > 1000 * count) {
                throw new IllegalArgumentException(
                        "There are no " + count + " different strings of length " + length);
            }
            texts.add(draw(length, random));
        }
        return texts.toArray(new String[0]);
    }

    /**
     * The kind that a benchmark parameter names.
     *
     * @throws IllegalArgumentException for an unknown name, with the known ones
     */
    public static TextKind named(String parameter) {
        return Arrays.stream(values())
                .filter(kind -> kind.parameter().equals(parameter))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Unknown kind '"
                                                + parameter
                                                + "'; choose one of "
                                                + Arrays.toString(
                                                        Arrays.stream(values())
                                                                .map(TextKind::parameter)
                                                                .toArray())));
    }

    /** The name as a benchmark parameter. */
    public String parameter() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static char between(Random random, char first, char last) {
        return (char) (first + random.nextInt(last - first + 1));
    }
}
