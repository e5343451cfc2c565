// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.util.SplittableRandom;

/** Kinds of random text, by the code units they are made of. */
public enum CodeUnits {
    ASCII(0x00, 0x7F),
    LATIN1(0x00, 0xFF),
    LATIN1_LETTERS(0x80, 0xFF),
    CYRILLIC(0x400, 0x45F),
    TWO_BYTES(0x80, 0x3FFF),
    CJK(0x4E00, 0x9FFF),
    THREE_BYTES(0x4000, 0xFFFF),
    ANY_UNIT(0x00, 0xFFFF),
    SURROGATES(0xD800, 0xDFFF),
    EMOJI(0xD83D, 0xDE4F),
    ONE_FOREIGN(0x00, 0x7F),
    RUNS(0x00, 0xFFFF);

    private static final CodeUnits[] ALL = values();

    private final int low;
    private final int span;

    CodeUnits(int low, int high) {
        this.low = low;
        this.span = high - low + 1;
    }

    /** One of the kinds. */
    public static CodeUnits any(SplittableRandom random) {
        return ALL[random.nextInt(ALL.length)];
    }

    /** Random text of that many code units. */
    public String text(SplittableRandom random, int length) {
        char[] units = new char[length];
        switch (this) {
            case EMOJI:
                for (int i = 0; i < length; i++) {
                    units[i] = i % 2 == 0 ? '\uD83D' : (char) (0xDE00 + random.nextInt(0x50));
                }
                break;
            case ONE_FOREIGN:
                fill(random, units, 0, length);
                if (length > 0) {
                    units[random.nextInt(length)] = (char) random.nextInt(0x10000);
                }
                break;
            case RUNS:
                for (int i = 0; i < length; ) {
                    int end = Math.min(length, i + 1 + random.nextInt(12));
                    ALL[random.nextInt(EMOJI.ordinal())].fill(random, units, i, end);
                    i = end;
                }
                break;
            default:
                fill(random, units, 0, length);
        }
        return new String(units);
    }

    /** Four code units from each random long. */
    private void fill(SplittableRandom random, char[] units, int from, int to) {
        long bits = 0;
        for (int i = from; i < to; i++) {
            bits = (i - from) % 4 == 0 ? random.nextLong() : bits >>> 16;
            units[i] = (char) (low + ((int) (bits & 0xFFFF) * (long) span >>> 16));
        }
    }
}
