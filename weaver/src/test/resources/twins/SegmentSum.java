// SPDX-License-Identifier: Apache-2.0
package acme;

import acme.memory.Words;

// The build writes this class, from Sum.
/** Sums bytes; {@link SegmentSum} of a byte[] inside is one. */
final class SegmentSum {

    private SegmentSum() {}

    /** From an index on. */
    static int of(acme.SegmentView view, acme.memory.Segment in, int from, byte[] other) {
        byte[] inside = other;
        int sum = Words.byteAt(in, from);
        return view.limit() == from ? sum : sum + SegmentSum.of(view, in, from + 1, inside) + Sums.NONE;
    }
}
