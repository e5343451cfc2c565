// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

/**
 * The strings that an installation is checked with: every code unit in every place that the codec
 * treats in its own way, every surrogate pair, then random strings of all kinds.
 */
final class Corpus {

    /** Shapes of text that each code unit comes in. */
    private static final int SHAPES = 8;

    private static final int UNITS = 0x10000;
    private static final int SURROGATES = 0x400;
    private static final char FIRST_LEAD = '\uD800';
    private static final char FIRST_TRAIL = '\uDC00';
    private static final long SEED = 1;

    /** Long enough that the codec reads and writes it in bulk. */
    private static final String ASCII = "plain letters, more than the thirty-two that take words. ";

    /** Number of cases that must not be left out. */
    static final int COMPLETE = SHAPES * UNITS + SURROGATES;

    private Corpus() {}

    /** The case of that index; from {@link #COMPLETE} on they are random. */
    static SoakCase at(long index) {
        if (index < (long) SHAPES * UNITS) {
            return SoakCase.of(text((char) (index / SHAPES), (int) (index % SHAPES)), index);
        }
        if (index < COMPLETE) {
            return SoakCase.of(pairsWith((int) (index - (long) SHAPES * UNITS)), index);
        }
        return SoakCase.of(SEED, index);
    }

    private static String text(char unit, int shape) {
        switch (shape) {
            case 0:
                return String.valueOf(unit);
            case 1:
                return "a" + unit + "b";
            case 2:
                return "" + unit + unit;
            case 3:
                return String.valueOf(unit).repeat(3 + unit % 16);
            case 4:
                return ASCII + unit;
            case 5:
                return unit + ASCII;
            case 6:
                return String.valueOf(unit).repeat(65 + unit % 8);
            default:
                return neighbours(unit);
        }
    }

    /** The code unit among those that follow it, so that alphabets meet. */
    private static String neighbours(char unit) {
        char[] units = new char[40];
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) (unit + i);
        }
        return new String(units);
    }

    /** One lead with each trail behind it. */
    private static String pairsWith(int lead) {
        char[] units = new char[2 * SURROGATES];
        for (int trail = 0; trail < SURROGATES; trail++) {
            units[2 * trail] = (char) (FIRST_LEAD + lead);
            units[2 * trail + 1] = (char) (FIRST_TRAIL + trail);
        }
        return new String(units);
    }
}
