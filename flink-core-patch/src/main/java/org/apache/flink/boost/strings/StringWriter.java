// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import org.apache.flink.boost.codec.CharWords;
import org.apache.flink.boost.codec.Progress;
import org.apache.flink.boost.codec.Varint;
import org.apache.flink.boost.codec.VarintEncoder;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;

/**
 * Writes a string into the array of an {@link DataOutputSerializerMemory}.
 *
 * <p>The array grows exactly when and as far as stock's would: to its length doubled until the
 * bytes fit. Where that cannot be followed (arrays over 1 GiB) the call is handed over to stock.
 */
public final class StringWriter {

    /** Words below; from here on the JDK's vectorised check and copy beat them. */
    private static final int BULK_FROM = 32;

    /** One character after the other below; from here on words beat that. */
    private static final int WORDS_FROM = 4;

    private StringWriter() {}

    /**
     * Writes length field and characters.
     *
     * @return false when nothing was done and stock's body has to write the string
     */
    public static boolean write(String string, DataOutputSerializerMemory out) {
        if (!StringAccess.OPENED) {
            return writeChars(string, out);
        }
        byte[] value = StringAccess.value(string);
        return StringAccess.coder(string) == StringAccess.LATIN1
                ? writeLatin1(value, out)
                : writeUtf16(value, out);
    }

    private static boolean writeLatin1(byte[] value, DataOutputSerializerMemory out) {
        int n = value.length;
        byte[] buffer = out.boostBuffer();
        int position = out.boostPosition();
        if (!hasRoom(buffer, position + Varint.MOST_BYTES, n)) {
            return growAndWriteLatin1(value, out);
        }
        if (n == 1 && value[0] >= 0) {
            // Setting up the loops below takes longer than the character.
            buffer[position] = 2;
            buffer[position + 1] = value[0];
            out.boostPosition(position + 2);
            return true;
        }
        int start = Varint.put(buffer, position, n + 1);
        if (n < WORDS_FROM) {
            out.boostPosition(VarintEncoder.encodeLatin1Tightly(value, 0, buffer, start));
            return true;
        }
        if (n < BULK_FROM) {
            if (!VarintEncoder.copyAscii(value, buffer, start)) {
                return writeLatin1Letters(value, out, start);
            }
        } else if (StringAccess.isAscii(value, 0, n)) {
            System.arraycopy(value, 0, buffer, start, n);
        } else {
            return writeLatin1Letters(value, out, start);
        }
        out.boostPosition(start + n);
        return true;
    }

    private static boolean growAndWriteLatin1(byte[] value, DataOutputSerializerMemory out) {
        int n = value.length;
        boolean ascii = StringAccess.isAscii(value, 0, n);
        long size = ascii ? n : VarintEncoder.latin1Size(value, 0);
        if (n == Integer.MAX_VALUE || !makeRoom(out, Varint.size(n + 1) + size)) {
            return false;
        }
        byte[] buffer = out.boostBuffer();
        int start = Varint.put(buffer, out.boostPosition(), n + 1);
        if (!ascii) {
            return writeLatin1Letters(value, out, start);
        }
        System.arraycopy(value, 0, buffer, start, n);
        out.boostPosition(start + n);
        return true;
    }

    /** Not all ASCII; {@code start} is behind the length field. */
    private static boolean writeLatin1Letters(
            byte[] value, DataOutputSerializerMemory out, int start) {
        long progress = VarintEncoder.encodeLatin1(value, 0, out.boostBuffer(), start);
        int i = Progress.characters(progress);
        int p = Progress.bytes(progress);
        if (i < value.length) {
            if (!makeRoomBehind(out, p, VarintEncoder.latin1Size(value, i))) {
                return false;
            }
            p = VarintEncoder.encodeLatin1Tightly(value, i, out.boostBuffer(), p);
        }
        out.boostPosition(p);
        return true;
    }

    private static boolean writeUtf16(byte[] value, DataOutputSerializerMemory out) {
        int lengthField = (value.length >> 1) + 1;
        if (lengthField <= WORDS_FROM && writeFewUtf16(value, out)) {
            return true;
        }
        if (!hasRoom(out.boostBuffer(), out.boostPosition(), Varint.MOST_BYTES)
                && !makeRoom(out, Varint.size(lengthField) + VarintEncoder.utf16Size(value, 0))) {
            return false;
        }
        int start = Varint.put(out.boostBuffer(), out.boostPosition(), lengthField);
        long progress = VarintEncoder.encodeUtf16(value, 0, out.boostBuffer(), start);
        int i = Progress.characters(progress);
        int p = Progress.bytes(progress);
        if (i < value.length) {
            if (!makeRoomBehind(out, p, VarintEncoder.utf16Size(value, i))) {
                return false;
            }
            progress = VarintEncoder.encodeUtf16(value, i, out.boostBuffer(), p);
            p =
                    VarintEncoder.encodeUtf16Tightly(
                            value,
                            Progress.characters(progress),
                            out.boostBuffer(),
                            Progress.bytes(progress));
        }
        out.boostPosition(p);
        return true;
    }

    /** Less than {@link #WORDS_FROM} characters; false where there may be no room. */
    private static boolean writeFewUtf16(byte[] value, DataOutputSerializerMemory out) {
        byte[] buffer = out.boostBuffer();
        int position = out.boostPosition();
        if (!hasRoom(buffer, position, 3 * WORDS_FROM)) {
            return false;
        }
        if (value.length == 2) {
            // As for a single ASCII character above.
            buffer[position] = 2;
            int c = VarintEncoder.charAt(value, 0);
            out.boostPosition(VarintEncoder.encodeChar(c, buffer, position + 1));
            return true;
        }
        buffer[position] = (byte) ((value.length >> 1) + 1);
        out.boostPosition(VarintEncoder.encodeUtf16Tightly(value, 0, buffer, position + 1));
        return true;
    }

    /** Without a look into the string: character by character, but into the array. */
    private static boolean writeChars(String string, DataOutputSerializerMemory out) {
        int n = string.length();
        if (!hasRoom(out.boostBuffer(), out.boostPosition() + Varint.MOST_BYTES, n)
                && (n == Integer.MAX_VALUE
                        || !makeRoom(out, Varint.size(n + 1) + charsSize(string, 0)))) {
            return false;
        }
        byte[] buffer = out.boostBuffer();
        int p = Varint.put(buffer, out.boostPosition(), n + 1);
        int i = 0;
        for (; i < n; i++) {
            char c = string.charAt(i);
            if (c >= 0x80) {
                break;
            }
            buffer[p + i] = (byte) c;
        }
        p += i;
        if (i < n) {
            int lastWide = buffer.length - VarintEncoder.SLACK;
            for (; i <= n - 8 && p <= lastWide; i += 4) {
                p = VarintEncoder.encodeFour(fourChars(string, i), buffer, p);
            }
            int last = buffer.length - 3;
            for (; i < n && p <= last; i++) {
                p = VarintEncoder.encodeChar(string.charAt(i), buffer, p);
            }
            if (i < n && !makeRoomBehind(out, p, charsSize(string, i))) {
                return false;
            }
            for (; i < n; i++) {
                p = VarintEncoder.encodeChar(string.charAt(i), out.boostBuffer(), p);
            }
        }
        out.boostPosition(p);
        return true;
    }

    private static long fourChars(String string, int index) {
        return string.charAt(index)
                | (long) string.charAt(index + 1) << 16
                | (long) string.charAt(index + 2) << 32
                | (long) string.charAt(index + 3) << 48;
    }

    private static long charsSize(String string, int from) {
        long size = 0;
        for (int i = from; i < string.length(); i++) {
            size += CharWords.size(string.charAt(i));
        }
        return size;
    }

    private static boolean hasRoom(byte[] buffer, int position, int bytes) {
        return buffer.length - position >= bytes;
    }

    /** {@link #makeRoom} behind bytes that are written but not yet counted in the position. */
    private static boolean makeRoomBehind(DataOutputSerializerMemory out, int behind, long bytes) {
        int position = out.boostPosition();
        // Growing copies the bytes up to the position.
        out.boostPosition(behind);
        boolean fits = makeRoom(out, bytes);
        if (!fits) {
            out.boostPosition(position);
        }
        return fits;
    }

    /**
     * Makes room for that many bytes as stock would: doubling until they fit.
     *
     * @return false when doubling leaves the range of an int, there is no memory for the array or
     *     the position is not in it; nothing has changed then, and stock's body fills the array to
     *     its end and fails as it does
     */
    static boolean makeRoom(DataOutputSerializerMemory out, long bytes) {
        long needed = out.boostPosition() + bytes;
        long capacity = out.boostBuffer().length;
        if (out.boostPosition() > capacity) {
            return false;
        }
        if (needed <= capacity) {
            return true;
        }
        while (capacity < needed) {
            capacity *= 2;
        }
        if (capacity > Integer.MAX_VALUE) {
            return false;
        }
        try {
            out.boostResize((int) capacity - out.boostBuffer().length);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
