// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import java.util.Arrays;
import org.apache.flink.boost.jdk.StringAccess;

/**
 * Text of a length that is claimed but not yet there: its array grows in step with the characters
 * that come, so that a length field that lies costs little.
 *
 * <p>With a look into strings the array becomes the string's own, of the coder that the JDK would
 * choose. The sizes are the halves of the final one, so that all of them together stay below what
 * stock allocates (its characters, and the string made of them).
 */
public final class LongText {

    /** So many bytes are allocated without any proof, with a look into strings. */
    private static final int STEP = 1 << 16;

    /**
     * So many characters are allocated at once without: stock's array is the smallest that there
     * is, and growing in steps would allocate more than it.
     */
    public static final int AT_ONCE = 1 << 20;

    private static final byte[] NO_BYTES = {};
    private static final char[] NO_CHARS = {};

    private final int length;
    private int count;

    /** Exactly one of the two is in use. */
    private byte[] latin1 = NO_BYTES;

    private byte[] utf16;

    /** Text of so many characters, of which none has come yet. Only with a look into strings. */
    public LongText(int length) {
        this.length = length;
    }

    public int count() {
        return count;
    }

    /** Adds ASCII. */
    public void addAscii(byte[] more, int size) {
        if (latin1 != null) {
            growLatin1(size);
            System.arraycopy(more, 0, latin1, count, size);
        } else {
            growUtf16(size);
            for (int i = 0; i < size; i++) {
                Bytes.putUtf16(utf16, count + i, more[i]);
            }
        }
        count += size;
    }

    /** Adds characters of any size. */
    public void add(char[] more, int size) {
        if (latin1 != null && !isLatin1(more, size)) {
            inflate(size);
        }
        if (latin1 != null) {
            growLatin1(size);
            for (int i = 0; i < size; i++) {
                latin1[count + i] = (byte) more[i];
            }
        } else {
            growUtf16(size);
            for (int i = 0; i < size; i++) {
                Bytes.putUtf16(utf16, count + i, more[i]);
            }
        }
        count += size;
    }

    /** The string, once all characters have come. */
    public String build() {
        return latin1 != null
                ? StringAccess.newString(latin1, StringAccess.LATIN1)
                : StringAccess.newString(utf16, StringAccess.UTF16);
    }

    /** {@link #grown} of nothing. */
    public static char[] begun(int n) {
        return grown(NO_CHARS, 0, n);
    }

    /**
     * An array that has room for more than {@code count} characters of {@code n}: for all of them,
     * or from {@link #AT_ONCE} on for an eighth, or an eighth of that.
     */
    public static char[] grown(char[] chars, int count, int n) {
        int capacity = n;
        while (capacity > AT_ONCE && capacity >> 3 > count + Chunk.SIZE) {
            capacity >>= 3;
        }
        char[] grown = new char[capacity];
        System.arraycopy(chars, 0, grown, 0, count);
        return grown;
    }

    private void growLatin1(int size) {
        if (latin1.length - count < size) {
            latin1 = Arrays.copyOf(latin1, halved(length, count + size));
        }
    }

    private void growUtf16(int size) {
        if ((utf16.length >> 1) - count < size) {
            utf16 = Arrays.copyOf(utf16, utf16Size(halved(length, count + size)));
        }
    }

    private void inflate(int size) {
        byte[] wide = new byte[utf16Size(halved(length, count + size))];
        for (int i = 0; i < count; i++) {
            wide[i << 1] = latin1[i];
        }
        utf16 = wide;
        latin1 = null;
    }

    /**
     * Half of the length, or half of that, and so on: the smallest, from {@link #STEP} on, that has
     * room for so many characters.
     */
    private static int halved(int length, int characters) {
        int least = Math.max(characters, STEP);
        int size = length;
        while (size - (size >> 1) >= least) {
            size -= size >> 1;
        }
        return size;
    }

    /** The JDK's own limit of text that is not Latin-1. */
    private static int utf16Size(int characters) {
        if (characters > Integer.MAX_VALUE >> 1) {
            throw new OutOfMemoryError("UTF16 String size is " + characters);
        }
        return characters << 1;
    }

    private static boolean isLatin1(char[] chars, int size) {
        int seen = 0;
        for (int i = 0; i < size; i++) {
            seen |= chars[i];
        }
        return seen <= 0xFF;
    }
}
