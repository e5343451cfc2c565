// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.EOFException;
import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.Varint;
import org.apache.flink.boost.codec.VarintDecoder;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.ShortestStrings;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.woven.Positioned;

// @twin SegmentReader: `byte[] in` is `org.apache.flink.core.memory.MemorySegment in`,
//     `Positioned view` is `org.apache.flink.boost.woven.SegmentInput view`

/**
 * The parts of a string in memory: length field, ASCII, other text; each finds where it ends, and
 * {@link StringReader#take} takes it out of the view. {@link StringReader#STOCK} says that it is
 * for the next part, and in the end for stock.
 */
final class ArrayReader {

    private ArrayReader() {}

    /**
     * The string whose length field is at a position.
     *
     * <p>This method is too large to be inlined (HotSpot's FreqInlineSize is 325 bytes of code). So
     * it is compiled once, and not again in each class of records that has strings: that takes
     * HotSpot seconds, in which a job runs at a fraction of its speed.
     *
     * @param limit index behind the last byte of the memory, above the position
     */
    static String read(Positioned view, byte[] in, int position, int limit) throws EOFException {
        int field;
        if (StringAccess.OPENED && limit - position >= 8) {
            long head = Bytes.longAt(in, position);
            if (AsciiReader.isHead(head)) {
                int n = (int) (head & 0xFF) - 1;
                return StringReader.take(view, position + 1 + n, AsciiReader.ofWord(head >>> 8, n));
            }
            field = (byte) head;
        } else {
            field = Bytes.byteAt(in, position);
        }
        int start = position + 1;
        if (field >>> 1 == 0) {
            return StringReader.take(view, start, field == 0 ? null : ShortestStrings.empty());
        }
        if (field < 0) {
            long word = VarintDecoder.bytesAt(in, position, limit);
            long progress = Varint.of(word, limit - position);
            field = Progress.characters(progress);
            start = position + Progress.bytes(progress);
        }
        int n = field - 1;
        if (n < 0) {
            return StringReader.STOCK;
        }
        if (limit - start < n) {
            return n > Chunk.SIZE ? StringReader.failAtEnd(view, limit) : StringReader.STOCK;
        }
        String ascii = AsciiReader.read(view, in, start, limit, n);
        if (ascii != StringReader.STOCK) {
            return StringReader.take(view, start + n, ascii);
        }
        // Not ASCII.
        long first = VarintDecoder.bytesAt(in, start, limit);
        if (n == 1) {
            return StringReader.takeFirst(view, start, limit, first);
        }
        if (!StringAccess.OPENED) {
            // Without a look into strings: by public constructors.
            if (!Words.startsAboveLatin1(first)) {
                String latin1 = readPlainLatin1(view, in, start, limit, n);
                if (latin1 != StringReader.STOCK) {
                    return latin1;
                }
            }
            char[] chars = StringReader.scratchChars(view, n);
            long progress = VarintDecoder.decodeChars(in, start, limit, chars, 0, n);
            return Progress.characters(progress) < n
                    ? StringReader.STOCK
                    : StringReader.take(view, Progress.bytes(progress), new String(chars, 0, n));
        }
        if (Words.startsAboveLatin1(first)) {
            int size = Words.sizeOfFew(first, n);
            if (size == 0 || size > limit - start) {
                return readUtf16(view, in, start, limit, n);
            }
            byte[] chars = new byte[n << 1];
            Bytes.putTail(Words.few(first, n, size), chars, 0);
            return StringReader.take(
                    view, start + size, StringAccess.newString(chars, StringAccess.UTF16));
        }
        return readLatin1(view, in, start, limit, n);
    }

    /** Text whose first character is not above Latin-1. */
    private static String readLatin1(Positioned view, byte[] in, int start, int limit, int n) {
        if (n < 8) {
            long chars = VarintDecoder.latin1Tail(in, start, limit, n, 0);
            if (chars >= 0) {
                int end = start + Words.latin1Size(chars, n, 0);
                return StringReader.take(view, end, AsciiReader.ofWord(chars, n));
            }
            return chars == Progress.ABOVE_LATIN1
                    ? readUtf16(view, in, start, limit, n)
                    : StringReader.STOCK;
        }
        int end = VarintDecoder.latin1End(in, start, limit, n);
        if (end >= 0) {
            byte[] chars = new byte[n];
            VarintDecoder.decodeLatin1(in, start, limit, chars, n);
            return StringReader.take(view, end, StringAccess.newString(chars, StringAccess.LATIN1));
        }
        return end == Progress.ABOVE_LATIN1
                ? readUtf16(view, in, start, limit, n)
                : StringReader.STOCK;
    }

    /** Text with at least one character above 0xFF. */
    private static String readUtf16(Positioned view, byte[] in, int start, int limit, int n) {
        if (n > Integer.MAX_VALUE >> 1) {
            return StringReader.STOCK;
        }
        byte[] chars = new byte[n << 1];
        int end = VarintDecoder.decodeUtf16(in, start, limit, chars, n);
        return end < 0
                ? StringReader.STOCK
                : StringReader.take(view, end, StringAccess.newString(chars, StringAccess.UTF16));
    }

    /** Latin-1 without a look into strings. */
    private static String readPlainLatin1(Positioned view, byte[] in, int start, int limit, int n) {
        if (n < 8) {
            long chars = VarintDecoder.latin1Tail(in, start, limit, n, 0);
            return chars < 0
                    ? StringReader.STOCK
                    : StringReader.take(
                            view,
                            start + Words.latin1Size(chars, n, 0),
                            AsciiReader.ofWord(chars, n, StringReader.scratchChars(view, n)));
        }
        int end = VarintDecoder.latin1End(in, start, limit, n);
        if (end < 0) {
            return StringReader.STOCK;
        }
        byte[] bytes = StringReader.scratchBytes(view, n);
        VarintDecoder.decodeLatin1(in, start, limit, bytes, n);
        return StringReader.take(view, end, AsciiReader.ofBytes(bytes, 0, n));
    }
}
