// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;

/** Random strings through all views. */
final class StringCases implements SoakCases {

    /** A fraction of a second. */
    static final int BLOCK = 1 << 14;

    @Override
    public String name() {
        return "strings";
    }

    @Override
    public int generator() {
        return SoakCase.GENERATOR;
    }

    @Override
    public int block() {
        return BLOCK;
    }

    /**
     * @param damage {@code read+6F22} or {@code write+6F22}: that code unit as its neighbour
     */
    @Override
    public Check checkOf(long seed, String damage) {
        Codec patched = Sides.patched();
        if (!damage.isEmpty()) {
            char unit = (char) Integer.parseInt(damage.substring(damage.indexOf('+') + 1), 16);
            patched =
                    damage.startsWith("read")
                            ? BrokenCodec.reading(patched, unit)
                            : BrokenCodec.writing(patched, unit);
        }
        Comparison comparison = new Comparison(patched, Sides.stock());
        return index -> comparison.check(SoakCase.of(seed, index));
    }

    @Override
    public String describe(long seed, long index) {
        SoakCase soakCase = SoakCase.of(seed, index);
        return String.format(
                "%s, %d characters, read from %s, copied to %s",
                soakCase.kind, soakCase.text.length(), soakCase.input, soakCase.output);
    }
}
