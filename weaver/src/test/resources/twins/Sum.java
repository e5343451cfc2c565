// SPDX-License-Identifier: Apache-2.0
package acme;

import acme.memory.Words;

// @twin SegmentSum: `byte[] in` is `acme.memory.Segment in`,
//     `View view` is `acme.SegmentView view`

/** Sums bytes; {@link Sum} of a byte[] inside is one. */
final class Sum {

    private Sum() {}

    /** From an index on. */
    static int of(View view, byte[] in, int from, byte[] other) {
        byte[] inside = other;
        int sum = Words.byteAt(in, from);
        return view.limit() == from ? sum : sum + Sum.of(view, in, from + 1, inside) + Sums.NONE;
    }
}
