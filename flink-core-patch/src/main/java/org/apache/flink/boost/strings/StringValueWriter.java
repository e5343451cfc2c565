// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.codec.CharArrays;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.VarintEncoder;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.StringValueFields;

/**
 * Writes a {@code StringValue}: plain length field, characters straight from its array into that of
 * an {@link DataOutputSerializerMemory}, which grows as stock's would.
 */
public final class StringValueWriter {

    /** Longest length field. */
    private static final int LENGTH_SIZE = 5;

    private StringValueWriter() {}

    /**
     * Writes length field and characters.
     *
     * @return false when stock's body has to write the value from the same position
     */
    public static boolean write(StringValueFields value, DataOutput out) throws IOException {
        if (out == null) {
            return false;
        }
        return out.getClass() == OwnViews.ARRAY_OUTPUT
                ? write(value, (DataOutputSerializerMemory) out)
                : StreamStringWriter.write(value, out);
    }

    private static boolean write(StringValueFields value, DataOutputSerializerMemory out) {
        int n = value.boostLength();
        char[] chars = value.boostChars();
        // A value whose reading failed may claim more than it has.
        if (n < 0 || chars == null || n > chars.length) {
            return false;
        }
        int position = out.boostPosition();
        if (out.boostBuffer().length - position - LENGTH_SIZE < n
                && !StringWriter.makeRoom(
                        out, VarintEncoder.lengthSize(n) + CharArrays.encodedSize(chars, 0, n))) {
            return false;
        }
        int p = VarintEncoder.putLength(out.boostBuffer(), position, n);
        long progress = CharArrays.encode(chars, 0, n, out.boostBuffer(), p);
        int i = Progress.characters(progress);
        p = Progress.bytes(progress);
        if (i < n) {
            // Growing copies the bytes up to the position.
            out.boostPosition(p);
            if (!StringWriter.makeRoom(out, CharArrays.encodedSize(chars, i, n))) {
                out.boostPosition(position);
                return false;
            }
            progress = CharArrays.encode(chars, i, n, out.boostBuffer(), p);
            i = Progress.characters(progress);
            p = Progress.bytes(progress);
            p = CharArrays.encodeTightly(chars, i, n, out.boostBuffer(), p);
        }
        out.boostPosition(p);
        return true;
    }
}
