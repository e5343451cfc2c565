// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import org.apache.flink.boost.codec.Bytes;
import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.SegmentDecoder;
import org.apache.flink.boost.codec.VarintDecoder;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.ShortestStrings;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/** ASCII text, whose bytes are its characters; {@link StringReader#STOCK} for other text. */
final class AsciiReader {

    /** Words below; from here on the JDK's check and copies in bulk beat them. */
    private static final int BULK_FROM = 64;

    /** Up to here two words that may overlap, above a loop of words. */
    private static final int TWO_WORDS_UP_TO = 16;

    /** From a segment, whose every word is checked, up to here four, above a loop. */
    private static final int FOUR_WORDS_UP_TO = 32;

    /**
     * What text of that size is expected to be: in the last byte of the view's array, where other
     * text may write over it. A new array expects ASCII, and so does one after 16 strings of it in
     * a row, which are counted down: no more than one array in so many strings is garbage.
     */
    private static final byte ASCII_EXPECTED = 0;

    private static final byte OTHER_TEXT = 16;

    private AsciiReader() {}

    /**
     * Whether the low bytes are a length field of one byte and its one to seven ASCII characters.
     */
    static boolean isHead(long head) {
        int n = (int) (head & 0xFF) - 1;
        return n > 0 && n < 8 && Words.isAscii(Words.lowBytes(head >>> 8, n));
    }

    /** Less than 8 characters of Latin-1 from the low bytes of a word, with a look into strings. */
    static String ofWord(long word, int n) {
        if (n == 1) {
            return ShortestStrings.ofLatin1(word);
        }
        byte[] bytes = new byte[n];
        Bytes.putLast(word, bytes, 0);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    /** The same without: the public constructor from bytes is slower on so few. */
    static String ofWord(long word, int n, char[] scratch) {
        if (n == 1) {
            return ShortestStrings.ofLatin1(word);
        }
        long rest = word;
        for (int i = 0; i < n; i++, rest >>>= 8) {
            scratch[i] = (char) (rest & 0xFF);
        }
        return new String(scratch, 0, n);
    }

    /** With a high byte of 0 this constructor copies Latin-1 and decodes nothing. */
    @SuppressWarnings("deprecation")
    static String ofBytes(byte[] bytes, int start, int n) {
        return new String(bytes, 0, start, n);
    }

    /** {@code n} characters from an index on, in an array. */
    static String read(Positioned view, byte[] in, int start, int limit, int n) {
        if (n < 8) {
            long word = VarintDecoder.bytesAt(in, start, limit);
            if (!Words.isAscii(Words.lowBytes(word, n))) {
                return StringReader.STOCK;
            }
            return StringAccess.OPENED || n == 1 ? ofWord(word, n) : ofBytes(in, start, n);
        }
        if (StringAccess.OPENED && n <= TWO_WORDS_UP_TO) {
            return ofTwoWords(
                    WideArrays.getLong(in, start), WideArrays.getLong(in, start + n - 8), n);
        }
        return (n < BULK_FROM ? areAscii(in, start, n) : Bytes.areAscii(in, start, n))
                ? ofBytes(in, start, n)
                : StringReader.STOCK;
    }

    /** {@code n} characters from an index on, in a segment. */
    static String read(SegmentInput view, MemorySegment in, int start, int limit, int n) {
        if (!StringAccess.OPENED) {
            return readPlain(view, in, start, limit, n);
        }
        if (n < 8) {
            long word = SegmentDecoder.bytesAt(in, start, limit);
            return Words.isAscii(Words.lowBytes(word, n)) ? ofWord(word, n) : StringReader.STOCK;
        }
        if (n <= TWO_WORDS_UP_TO) {
            return ofTwoWords(Bytes.longAt(in, start), Bytes.longAt(in, start + n - 8), n);
        }
        return n <= FOUR_WORDS_UP_TO
                ? readFourWords(in, start, n)
                : n < BULK_FROM ? readWords(in, start, n) : readLong(view, in, start, n);
    }

    /** 8 to 16 bytes in two words that may overlap: the end of a loop would have to be guessed. */
    private static String ofTwoWords(long first, long last, int n) {
        if (!Words.isAscii(first | last)) {
            return StringReader.STOCK;
        }
        byte[] bytes = new byte[n];
        WideArrays.putLong(bytes, 0, first);
        WideArrays.putLong(bytes, n - 8, last);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    private static String readFourWords(MemorySegment in, int start, int n) {
        int end = start + n;
        long first = Bytes.longAt(in, start);
        long last = Bytes.longAt(in, end - 8);
        long second = Bytes.longAt(in, start + 8);
        long third = Bytes.longAt(in, end - 16);
        if (!Words.isAscii(first | second | third | last)) {
            return StringReader.STOCK;
        }
        byte[] bytes = new byte[n];
        WideArrays.putLong(bytes, 0, first);
        WideArrays.putLong(bytes, 8, second);
        WideArrays.putLong(bytes, n - 16, third);
        WideArrays.putLong(bytes, n - 8, last);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    private static String readWords(MemorySegment in, int start, int n) {
        if (!areAscii(in, start, n)) {
            return StringReader.STOCK;
        }
        byte[] bytes = new byte[n];
        copyWords(in, start, bytes, n);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    /**
     * Where ASCII is expected the bytes are copied into the string's own array and then looked at;
     * where other text came of late they go through the view's scratch array first, so that other
     * text in a row leaves one array as garbage.
     */
    private static String readLong(SegmentInput view, MemorySegment in, int start, int n) {
        if (!Words.isAscii(Bytes.longAt(in, start))) {
            return StringReader.STOCK;
        }
        byte[] scratch = view.boostScratch();
        if (scratch != null && scratch.length < BULK_FROM) {
            // Stock's readUTF leaves arrays of any size, of 0 too.
            scratch = StringReader.scratchBytes(view, Chunk.SIZE);
        }
        byte since = scratch == null ? ASCII_EXPECTED : scratch[scratch.length - 1];
        if (since != ASCII_EXPECTED && !areAscii(in, start, n, scratch)) {
            scratch[scratch.length - 1] = OTHER_TEXT;
            return StringReader.STOCK;
        }
        byte[] bytes = new byte[n];
        in.get(start, bytes, 0, n);
        if (since != ASCII_EXPECTED) {
            boolean counted = since > 0 && since <= OTHER_TEXT;
            scratch[scratch.length - 1] = (byte) ((counted ? since : OTHER_TEXT) - 1);
        } else if (!StringAccess.isAscii(bytes, 0, n)) {
            scratch = StringReader.scratchBytes(view, Chunk.SIZE);
            scratch[scratch.length - 1] = OTHER_TEXT;
            return StringReader.STOCK;
        }
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    /** Without a look into strings: through the view's own arrays and public constructors. */
    private static String readPlain(
            SegmentInput view, MemorySegment in, int start, int limit, int n) {
        long first = SegmentDecoder.bytesAt(in, start, limit);
        if (!Words.isAscii(Words.lowBytes(first, n))) {
            return StringReader.STOCK;
        }
        if (n < 8) {
            return ofWord(first, n, StringReader.scratchChars(view, 8));
        }
        if (n < BULK_FROM && !areAscii(in, start, n)) {
            return StringReader.STOCK;
        }
        byte[] scratch = StringReader.scratchBytes(view, n);
        if (n < BULK_FROM) {
            copyWords(in, start, scratch, n);
        } else {
            in.get(start, scratch, 0, n);
            if (!StringAccess.isAscii(scratch, 0, n)) {
                return StringReader.STOCK;
            }
        }
        return ofBytes(scratch, 0, n);
    }

    private static boolean areAscii(MemorySegment in, int start, int n, byte[] scratch) {
        for (int i = 0; i < n; i += scratch.length) {
            int size = Math.min(n - i, scratch.length);
            in.get(start + i, scratch, 0, size);
            if (!StringAccess.isAscii(scratch, 0, size)) {
                return false;
            }
        }
        return true;
    }

    /** 8 bytes or more. */
    private static boolean areAscii(byte[] in, int start, int n) {
        long seen = WideArrays.getLong(in, start + n - 8);
        for (int i = 0; i <= n - 8; i += 8) {
            seen |= WideArrays.getLong(in, start + i);
        }
        return Words.isAscii(seen);
    }

    /** 8 bytes or more. */
    private static boolean areAscii(MemorySegment in, int start, int n) {
        long seen = in.getLong(start + n - 8);
        for (int i = 0; i <= n - 8; i += 8) {
            seen |= in.getLong(start + i);
        }
        return Words.isAscii(seen);
    }

    /** 8 bytes or more; the last word overlaps the one before. */
    private static void copyWords(MemorySegment in, int start, byte[] bytes, int n) {
        for (int i = 0; i <= n - 8; i += 8) {
            WideArrays.putLong(bytes, i, Bytes.longAt(in, start + i));
        }
        WideArrays.putLong(bytes, n - 8, Bytes.longAt(in, start + n - 8));
    }
}
