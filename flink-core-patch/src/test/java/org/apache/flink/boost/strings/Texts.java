// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Strings for the codec's tests: surrogates, every boundary length, seeded random text. */
public final class Texts {

    private static final int[] BOUNDARIES = {
        126, 127, 128, 129, 130, 255, 256, 257, 1023, 1024, 1365, 2047, 2048, 2049, 4095, 4096,
        4097, 16382, 16383, 16384, 16385, 16386, 32766, 32767, 32768
    };

    /** Longer than any text that goes by pairs of words that may overlap. */
    private static final int WORDS = 40;

    private Texts() {}

    /** Lone, paired and reversed surrogates at the ends of their ranges and seeded ones between. */
    public static List<String> surrogates() {
        SplittableRandom random = new SplittableRandom(11);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            char high = i == 0 ? 0xD800 : i == 1 ? 0xDBFF : (char) random.nextInt(0xD800, 0xDC00);
            char low = i == 0 ? 0xDC00 : i == 1 ? 0xDFFF : (char) random.nextInt(0xDC00, 0xE000);
            all.add("" + high + low);
            all.add("" + low + high);
            all.add("x" + high + "y" + low + "z" + high + low);
        }
        return all;
    }

    /**
     * Every kind at lengths 0 to 70 and around every boundary of codec and length field; up to
     * {@link #WORDS} also as the one foreign character, at every place.
     */
    public static void boundaryLengths(Consumer<String> test) {
        SplittableRandom random = new SplittableRandom(12);
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length = 0; length <= 70; length++) {
                test.accept(kind.text(random, length));
                test.accept(oneForeign(random, length, kind.text(random, 1).charAt(0)));
            }
            for (int length : BOUNDARIES) {
                test.accept(kind.text(random, length));
                test.accept(oneForeign(random, length, kind.text(random, 1).charAt(0)));
            }
            for (int length = 1; length <= WORDS; length++) {
                for (int place = 0; place < length; place++) {
                    test.accept(oneForeign(random, length, place, kind.text(random, 1).charAt(0)));
                }
            }
        }
    }

    /** Random text: one kind, or runs of several kinds one after the other. */
    public static String any(SplittableRandom random) {
        int length = random.nextInt(10) == 0 ? random.nextInt(3000) : random.nextInt(80);
        if (random.nextInt(3) > 0) {
            return CodeUnits.any(random).text(random, length);
        }
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(CodeUnits.any(random).text(random, 1 + random.nextInt(12)));
        }
        return text.toString();
    }

    /** Number of random cases; {@code -Dcodec.cases} makes a long run of it. */
    public static int cases() {
        return Integer.getInteger("codec.cases", 20_000);
    }

    /** ASCII but for one code unit somewhere. */
    private static String oneForeign(SplittableRandom random, int length, char unit) {
        return length == 0 ? "" : oneForeign(random, length, random.nextInt(length), unit);
    }

    private static String oneForeign(SplittableRandom random, int length, int place, char unit) {
        char[] units = CodeUnits.ASCII.text(random, length).toCharArray();
        units[place] = unit;
        return new String(units);
    }
}
