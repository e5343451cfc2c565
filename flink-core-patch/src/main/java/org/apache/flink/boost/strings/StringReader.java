// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.EOFException;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.SegmentArray;
import org.apache.flink.boost.codec.SegmentDecoder;
import org.apache.flink.boost.codec.VarintDecoder;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.Positioned;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.MemorySegment;

/**
 * Reads a string from the memory of an {@link DataInputDeserializerMemory} or {@link SegmentInput}.
 *
 * <p>Nothing changes before the whole string has been decoded: where the input is not complete, or
 * not what a writer would write, {@link #STOCK} is returned and stock's body starts from the same
 * position, with its own exceptions. Memory is allocated only for bytes that are present.
 */
public final class StringReader {

    /** "Let stock read it". Compared by identity. */
    public static final String STOCK = new String("stock reads this string");

    /** From here on bulk copies beat words. */
    private static final int BULK = 64;

    /** Up to here two words that may overlap beat a loop. */
    private static final int TWO_WORDS = 16;

    /** And from a segment, whose every word is checked, four. */
    private static final int FOUR_WORDS = 32;

    /** Size of the view's own array that long strings go through. */
    private static final int CHUNK = 2048;

    /**
     * What text of that size is expected to be: in the last byte of the view's array, where other
     * text may write over it. A new array expects ASCII, and so does one after 16 strings of it in
     * a row, which are counted down: no more than one array in so many strings is garbage.
     */
    private static final byte ASCII_EXPECTED = 0;

    private static final byte OTHER_TEXT = 16;

    /** Stock keeps an array of that many characters; above, it allocates what the field says. */
    private static final int STOCK_ARRAY = 2048;

    private static final long NEGATIVES = 0x8080808080808080L;

    private StringReader() {}

    /** The next string, null where null was written, or {@link #STOCK}. */
    public static String read(DataInputDeserializerMemory in) throws EOFException {
        byte[] buffer = in.boostBuffer();
        int position = in.boostPosition();
        int end = in.boostEnd();
        if (buffer == null || position < 0 || position >= end) {
            return STOCK;
        }
        int field;
        if (StringAccess.OPENED && end - position >= 8) {
            long head = WideArrays.getLong(buffer, position);
            if (isAsciiHead(head)) {
                return readHead(in, position, head);
            }
            field = (byte) head;
        } else {
            field = buffer[position];
        }
        int start = position + 1;
        if (field >>> 1 == 0) {
            in.boostPosition(start);
            return field == 0 ? null : ShortestStrings.empty();
        }
        if (field < 0) {
            long progress = length(buffer, position, end);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
        }
        int n = field - 1;
        if (n < 0) {
            return STOCK;
        }
        if (end - start < n) {
            return n > STOCK_ARRAY ? endOfArray(in, end) : STOCK;
        }
        return readArray(in, buffer, start, end, n);
    }

    /** The next string, null where null was written, or {@link #STOCK}. */
    public static String read(SegmentInput in) {
        MemorySegment segment = in.boostSegment();
        int position = in.boostPosition();
        if (segment == null || segment.isFreed() || position < 0 || position >= segment.size()) {
            return STOCK;
        }
        int field;
        if (StringAccess.OPENED && segment.size() - position >= 8) {
            long head = segment.getLongLittleEndian(position);
            if (isAsciiHead(head)) {
                return readHead(in, position, head);
            }
            field = (byte) head;
        } else {
            field = segment.get(position);
        }
        int start = position + 1;
        if (field >>> 1 == 0) {
            in.boostPosition(start);
            return field == 0 ? null : ShortestStrings.empty();
        }
        if (field < 0) {
            long progress = length(segment, position);
            field = Progress.characters(progress);
            start = Progress.bytes(progress);
        }
        int n = field - 1;
        if (n < 0) {
            return STOCK;
        }
        if (segment.size() - start < n) {
            return n > STOCK_ARRAY ? endOfSegment(in, segment) : STOCK;
        }
        if (!StringAccess.OPENED) {
            return readByScratch(in, segment, start, n);
        }
        byte[] array = SegmentArray.of(segment);
        return array == null
                ? readSegment(in, segment, start, n)
                : readArray(in, array, start, array.length, n);
    }

    /**
     * Whether the low bytes are a length field of one byte and its one to seven ASCII characters.
     */
    private static boolean isAsciiHead(long head) {
        int n = (int) (head & 0xFF) - 1;
        return n > 0 && n < 8 && (Words.lowBytes(head >>> 8, n) & NEGATIVES) == 0;
    }

    /** The string of an {@linkplain #isAsciiHead ASCII head}, without a second look at memory. */
    private static String readHead(Positioned in, int position, long head) {
        int n = (int) (head & 0xFF) - 1;
        in.boostPosition(position + 1 + n);
        return ofShort(head >>> 8, n);
    }

    /** Ends as stock does after the last byte, without stock's array for a length that is a lie. */
    private static String endOfArray(DataInputDeserializerMemory in, int end) throws EOFException {
        in.boostPosition(end);
        throw new EOFException();
    }

    /** The same in a segment, where stock runs into the segment's own check. */
    private static String endOfSegment(SegmentInput in, MemorySegment segment) {
        in.boostPosition(segment.size() + 1);
        throw new IndexOutOfBoundsException("end of segment: " + segment.get(segment.size()));
    }

    private static String readArray(Positioned in, byte[] array, int start, int limit, int n) {
        if (n < 8) {
            long word = VarintDecoder.bytesAt(array, start, limit);
            if ((Words.lowBytes(word, n) & NEGATIVES) == 0) {
                in.boostPosition(start + n);
                return StringAccess.OPENED || n == 1 ? ofShort(word, n) : latin1(array, start, n);
            }
        } else if (StringAccess.OPENED && n <= TWO_WORDS) {
            byte[] bytes = twoWords(array, start, n);
            if (bytes != null) {
                in.boostPosition(start + n);
                return StringAccess.newString(bytes, StringAccess.LATIN1);
            }
        } else if (n < BULK ? isShortAscii(array, start, n) : isLongAscii(array, start, n)) {
            in.boostPosition(start + n);
            return latin1(array, start, n);
        }
        return StringAccess.OPENED
                ? readText(in, array, start, limit, n)
                : readChars(in, array, start, limit, n);
    }

    /** Text that is not ASCII. */
    private static String readText(Positioned in, byte[] array, int start, int limit, int n) {
        long first = VarintDecoder.bytesAt(array, start, limit);
        if (n == 1) {
            return readChar(in, first, start, limit);
        }
        if (Words.startsAboveLatin1(first)) {
            String few = readFew(in, first, start, limit, n);
            return few != null ? few : readUtf16(in, array, start, limit, n);
        }
        int other;
        if (n < 8) {
            long word = VarintDecoder.latin1Tail(array, start, limit, n, 0);
            if (word >= 0) {
                in.boostPosition(start + Words.latin1Size(word, n, 0));
                return ofShort(word, n);
            }
            other = start + (int) ~word - 1;
        } else {
            int end = VarintDecoder.latin1End(array, start, limit, n);
            if (end >= 0) {
                byte[] chars = new byte[n];
                VarintDecoder.decodeLatin1(array, start, limit, chars, n);
                in.boostPosition(end);
                return StringAccess.newString(chars, StringAccess.LATIN1);
            }
            other = ~end;
        }
        return VarintDecoder.isAboveLatin1(array, other, limit)
                ? readUtf16(in, array, start, limit, n)
                : STOCK;
    }

    /** Text with at least one character above 0xFF. */
    private static String readUtf16(Positioned in, byte[] array, int start, int limit, int n) {
        if (n > Integer.MAX_VALUE >> 1) {
            return STOCK;
        }
        byte[] chars = new byte[n << 1];
        long progress = VarintDecoder.decodeUtf16(array, start, limit, chars, n);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return StringAccess.newString(chars, StringAccess.UTF16);
    }

    private static String readSegment(SegmentInput in, MemorySegment segment, int start, int n) {
        if (n < 8) {
            long word = SegmentDecoder.bytesAt(segment, start);
            if ((Words.lowBytes(word, n) & NEGATIVES) != 0) {
                return readSegmentText(in, segment, start, n);
            }
            in.boostPosition(start + n);
            return ofShort(word, n);
        }
        byte[] bytes =
                n <= FOUR_WORDS
                        ? fewWords(segment, start, n)
                        : n < BULK
                                ? shortAscii(segment, start, n)
                                : longAscii(in, segment, start, n);
        if (bytes == null) {
            return readSegmentText(in, segment, start, n);
        }
        in.boostPosition(start + n);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    /**
     * 8 to {@link #FOUR_WORDS} bytes when all are ASCII, else null. Words that may overlap serve
     * every length: the end of a loop would have to be guessed.
     */
    private static byte[] fewWords(MemorySegment segment, int start, int n) {
        int end = start + n;
        long first = segment.getLongLittleEndian(start);
        long last = segment.getLongLittleEndian(end - 8);
        if (n <= TWO_WORDS) {
            return ((first | last) & NEGATIVES) == 0 ? ofWords(first, last, n) : null;
        }
        long second = segment.getLongLittleEndian(start + 8);
        long third = segment.getLongLittleEndian(end - 16);
        return ((first | second | third | last) & NEGATIVES) == 0
                ? ofWords(first, second, third, last, n)
                : null;
    }

    /** The same of 8 to {@link #TWO_WORDS} bytes from an array. */
    private static byte[] twoWords(byte[] array, int start, int n) {
        long first = WideArrays.getLong(array, start);
        long last = WideArrays.getLong(array, start + n - 8);
        return ((first | last) & NEGATIVES) == 0 ? ofWords(first, last, n) : null;
    }

    private static byte[] ofWords(long first, long last, int n) {
        byte[] bytes = new byte[n];
        WideArrays.putLong(bytes, 0, first);
        WideArrays.putLong(bytes, n - 8, last);
        return bytes;
    }

    private static byte[] ofWords(long first, long second, long third, long last, int n) {
        byte[] bytes = ofWords(first, last, n);
        WideArrays.putLong(bytes, 8, second);
        WideArrays.putLong(bytes, n - 16, third);
        return bytes;
    }

    /** The bytes when all are ASCII, else null. */
    private static byte[] shortAscii(MemorySegment segment, int start, int n) {
        if (!isShortAscii(segment, start, n)) {
            return null;
        }
        byte[] bytes = new byte[n];
        copyWords(segment, start, bytes, n);
        return bytes;
    }

    /**
     * The bytes when all are ASCII, else null. Where ASCII is expected they are copied into the
     * string's own array and then looked at; where other text came of late they go through the
     * view's scratch array first, so that other text in a row leaves one array as garbage.
     */
    private static byte[] longAscii(SegmentInput in, MemorySegment segment, int start, int n) {
        if ((segment.getLong(start) & NEGATIVES) != 0) {
            return null;
        }
        byte[] scratch = in.boostScratch();
        if (scratch != null && scratch.length < BULK) {
            // Stock's readUTF leaves arrays of any size, of 0 too.
            scratch = scratch(in, CHUNK);
        }
        byte since = scratch == null ? ASCII_EXPECTED : scratch[scratch.length - 1];
        if (since != ASCII_EXPECTED && !isAscii(segment, start, n, scratch)) {
            scratch[scratch.length - 1] = OTHER_TEXT;
            return null;
        }
        byte[] bytes = new byte[n];
        segment.get(start, bytes, 0, n);
        if (since != ASCII_EXPECTED) {
            boolean counted = since > 0 && since <= OTHER_TEXT;
            scratch[scratch.length - 1] = (byte) ((counted ? since : OTHER_TEXT) - 1);
        } else if (!StringAccess.isAscii(bytes, 0, n)) {
            scratch = scratch(in, CHUNK);
            scratch[scratch.length - 1] = OTHER_TEXT;
            return null;
        }
        return bytes;
    }

    private static boolean isAscii(MemorySegment segment, int start, int n, byte[] scratch) {
        for (int i = 0; i < n; i += scratch.length) {
            int size = Math.min(n - i, scratch.length);
            segment.get(start + i, scratch, 0, size);
            if (!StringAccess.isAscii(scratch, 0, size)) {
                return false;
            }
        }
        return true;
    }

    /** Text that is not ASCII. */
    private static String readSegmentText(
            SegmentInput in, MemorySegment segment, int start, int n) {
        long first = SegmentDecoder.bytesAt(segment, start);
        if (n == 1) {
            return readChar(in, first, start, segment.size());
        }
        if (Words.startsAboveLatin1(first)) {
            String few = readFew(in, first, start, segment.size(), n);
            return few != null ? few : readSegmentUtf16(in, segment, start, n);
        }
        int other;
        if (n < 8) {
            long word = SegmentDecoder.latin1Tail(segment, start, n, 0);
            if (word >= 0) {
                in.boostPosition(start + Words.latin1Size(word, n, 0));
                return ofShort(word, n);
            }
            other = start + (int) ~word - 1;
        } else {
            int end = SegmentDecoder.latin1End(segment, start, n);
            if (end >= 0) {
                byte[] chars = new byte[n];
                SegmentDecoder.decodeLatin1(segment, start, chars, n);
                in.boostPosition(end);
                return StringAccess.newString(chars, StringAccess.LATIN1);
            }
            other = ~end;
        }
        return SegmentDecoder.isAboveLatin1(segment, other)
                ? readSegmentUtf16(in, segment, start, n)
                : STOCK;
    }

    /** Text with at least one character above 0xFF. */
    private static String readSegmentUtf16(
            SegmentInput in, MemorySegment segment, int start, int n) {
        if (n > Integer.MAX_VALUE >> 1) {
            return STOCK;
        }
        byte[] chars = new byte[n << 1];
        long progress = SegmentDecoder.decodeUtf16(segment, start, chars, n);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return StringAccess.newString(chars, StringAccess.UTF16);
    }

    /**
     * Up to four characters of two bytes, or two of three, that all are in the word; null for
     * others. The first one is above 0xFF.
     */
    private static String readFew(Positioned in, long word, int start, int limit, int n) {
        if (n > 4) {
            return null;
        }
        long more = Words.more(word);
        if (Words.areTwoBytes(more, n) && n << 1 <= limit - start) {
            in.boostPosition(start + (n << 1));
            return ofFew(Words.fourOfTwoBytes(word), n);
        }
        if (n == 2 && Words.areThreeBytes(more) && limit - start >= 6) {
            in.boostPosition(start + 6);
            return ofFew(Words.twoOfThreeBytes(word), n);
        }
        return null;
    }

    /** From the low lanes of a word. */
    private static String ofFew(long chars, int n) {
        byte[] bytes = new byte[n << 1];
        VarintDecoder.putBytes(chars, bytes, 0);
        return StringAccess.newString(bytes, StringAccess.UTF16);
    }

    /** Less than 8 Latin-1 characters from the low bytes of a word. */
    static String ofShort(long word, int n) {
        if (n == 1) {
            return ShortestStrings.ofLatin1(word);
        }
        byte[] bytes = new byte[n];
        VarintDecoder.putBytes(word, bytes, 0);
        return StringAccess.newString(bytes, StringAccess.LATIN1);
    }

    /** Without a look into strings: through the view's own arrays and public constructors. */
    private static String readByScratch(SegmentInput in, MemorySegment segment, int start, int n) {
        byte[] scratch;
        if (n < 8) {
            long word = Words.lowBytes(SegmentDecoder.bytesAt(segment, start), n);
            if ((word & NEGATIVES) != 0) {
                return readChars(in, segment, start, n);
            }
            in.boostPosition(start + n);
            return shortLatin1(in, word, n);
        } else if (n < BULK) {
            if (!isShortAscii(segment, start, n)) {
                return readChars(in, segment, start, n);
            }
            scratch = scratch(in, n);
            copyWords(segment, start, scratch, n);
        } else {
            if ((segment.getLong(start) & NEGATIVES) != 0) {
                return readChars(in, segment, start, n);
            }
            scratch = scratch(in, n);
            segment.get(start, scratch, 0, n);
            if (!StringAccess.isAscii(scratch, 0, n)) {
                return readChars(in, segment, start, n);
            }
        }
        in.boostPosition(start + n);
        return latin1(scratch, 0, n);
    }

    /** Through arrays of the thread, as stock, because the view has none. */
    private static String readChars(Positioned in, byte[] array, int start, int limit, int n) {
        long word = VarintDecoder.bytesAt(array, start, limit);
        if (n == 1) {
            return readChar(in, word, start, limit);
        }
        if (!Words.startsAboveLatin1(word)) {
            String text = readLatin1(in, array, start, limit, n);
            if (text != null) {
                return text;
            }
        }
        char[] chars = n <= STOCK_ARRAY ? ThreadArrays.CHARS.get() : new char[n];
        long progress = VarintDecoder.decodeChars(array, start, limit, chars, 0, n);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return new String(chars, 0, n);
    }

    private static String readChars(SegmentInput in, MemorySegment segment, int start, int n) {
        long word = SegmentDecoder.bytesAt(segment, start);
        if (n == 1) {
            return readChar(in, word, start, segment.size());
        }
        if (!Words.startsAboveLatin1(word)) {
            String text = readLatin1(in, segment, start, n);
            if (text != null) {
                return text;
            }
        }
        char[] chars = charScratch(in, n);
        long progress = SegmentDecoder.decodeChars(segment, start, chars, n);
        if (Progress.characters(progress) < n) {
            return STOCK;
        }
        in.boostPosition(Progress.bytes(progress));
        return new String(chars, 0, n);
    }

    private static String readChar(Positioned in, long word, int start, int limit) {
        int size = Words.sizeOfFirst((int) word);
        if (size > 3 || size > limit - start) {
            return STOCK;
        }
        in.boostPosition(start + size);
        return ShortestStrings.of((char) Words.first(word, size << 3));
    }

    /** Null where the text is not Latin-1. */
    private static String readLatin1(Positioned in, byte[] array, int start, int limit, int n) {
        if (n < 8) {
            long word = VarintDecoder.latin1Tail(array, start, limit, n, 0);
            if (word < 0) {
                return null;
            }
            in.boostPosition(start + Words.latin1Size(word, n, 0));
            byte[] bytes = ThreadArrays.BYTES.get();
            WideArrays.putLong(bytes, 0, word);
            return latin1(bytes, 0, n);
        }
        int end = VarintDecoder.latin1End(array, start, limit, n);
        if (end < 0) {
            return null;
        }
        byte[] bytes = n <= STOCK_ARRAY ? ThreadArrays.BYTES.get() : new byte[n];
        VarintDecoder.decodeLatin1(array, start, limit, bytes, n);
        in.boostPosition(end);
        return latin1(bytes, 0, n);
    }

    /** The same. */
    private static String readLatin1(SegmentInput in, MemorySegment segment, int start, int n) {
        if (n < 8) {
            long word = SegmentDecoder.latin1Tail(segment, start, n, 0);
            if (word < 0) {
                return null;
            }
            in.boostPosition(start + Words.latin1Size(word, n, 0));
            return shortLatin1(in, word, n);
        }
        int end = SegmentDecoder.latin1End(segment, start, n);
        if (end < 0) {
            return null;
        }
        byte[] bytes = scratch(in, n + 8);
        SegmentDecoder.decodeLatin1(segment, start, bytes, n);
        in.boostPosition(end);
        return latin1(bytes, 0, n);
    }

    /** Less than 8 characters from a word: the public constructor from bytes is slower on them. */
    private static String shortLatin1(SegmentInput in, long word, int n) {
        if (n == 1) {
            return ShortestStrings.ofLatin1(word);
        }
        char[] chars = charScratch(in, 8);
        long rest = word;
        for (int i = 0; i < n; i++, rest >>>= 8) {
            chars[i] = (char) (rest & 0xFF);
        }
        return new String(chars, 0, n);
    }

    private static char[] charScratch(SegmentInput in, int size) {
        char[] scratch = in.boostCharScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new char[size];
            in.boostCharScratch(scratch);
        }
        return scratch;
    }

    private static byte[] scratch(SegmentInput in, int size) {
        byte[] scratch = in.boostScratch();
        if (scratch == null || scratch.length < size) {
            scratch = new byte[size];
            in.boostScratch(scratch);
        }
        return scratch;
    }

    /** With a high byte of 0 this constructor copies Latin-1 and decodes nothing. */
    @SuppressWarnings("deprecation")
    private static String latin1(byte[] bytes, int start, int n) {
        return new String(bytes, 0, start, n);
    }

    private static boolean isLongAscii(byte[] bytes, int start, int n) {
        return (WideArrays.getLong(bytes, start) & NEGATIVES) == 0
                && StringAccess.isAscii(bytes, start, n);
    }

    /** 8 bytes or more. */
    private static boolean isShortAscii(byte[] bytes, int start, int n) {
        long seen = WideArrays.getLong(bytes, start + n - 8);
        for (int i = 0; i <= n - 8; i += 8) {
            seen |= WideArrays.getLong(bytes, start + i);
        }
        return (seen & NEGATIVES) == 0;
    }

    /** 8 bytes or more. */
    private static boolean isShortAscii(MemorySegment segment, int start, int n) {
        long seen = segment.getLong(start + n - 8);
        for (int i = 0; i <= n - 8; i += 8) {
            seen |= segment.getLong(start + i);
        }
        return (seen & NEGATIVES) == 0;
    }

    /** 8 bytes or more; the last word overlaps the one before. */
    private static void copyWords(MemorySegment segment, int start, byte[] bytes, int n) {
        for (int i = 0; i <= n - 8; i += 8) {
            WideArrays.putLong(bytes, i, segment.getLongLittleEndian(start + i));
        }
        WideArrays.putLong(bytes, n - 8, segment.getLongLittleEndian(start + n - 8));
    }

    /**
     * The length field, of one to five bytes.
     *
     * @return its value and the position behind it, {@link Progress}; value 0 where it is not one
     *     that a writer writes
     */
    static long length(byte[] bytes, int position, int end) {
        int value = 0;
        int p = position;
        for (int shift = 0; shift <= 28 && p < end; shift += 7) {
            int b = bytes[p++];
            value |= (b & 0x7F) << shift;
            if (b >= 0) {
                return Progress.of(Math.max(value, 0), p);
            }
        }
        return Progress.of(0, p);
    }

    /** The same for a segment. */
    static long length(MemorySegment segment, int position) {
        int value = 0;
        int p = position;
        for (int shift = 0; shift <= 28 && p < segment.size(); shift += 7) {
            int b = segment.get(p++);
            value |= (b & 0x7F) << shift;
            if (b >= 0) {
                return Progress.of(Math.max(value, 0), p);
            }
        }
        return Progress.of(0, p);
    }

    /** Loaded only where {@code String} cannot be looked into. */
    private static final class ThreadArrays {
        static final ThreadLocal<char[]> CHARS =
                ThreadLocal.withInitial(() -> new char[STOCK_ARRAY]);
        static final ThreadLocal<byte[]> BYTES =
                ThreadLocal.withInitial(() -> new byte[STOCK_ARRAY + 8]);
    }
}
