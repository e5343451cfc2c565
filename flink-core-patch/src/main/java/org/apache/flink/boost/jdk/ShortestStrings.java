// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.jdk;

/**
 * Strings of no or one character, a new object at every call, as stock makes them: Kryo and Java
 * serialization write the second occurrence of one object in another way than an equal one, so that
 * who shares strings changes their bytes.
 *
 * <p>The array inside is shared among those of Latin-1, as by {@link String#String(String)}: flags
 * and codes of one letter are common, and half of their memory is that array.
 */
public final class ShortestStrings {

    /** Never asked for their hash code, so that no string begins with a computed one. */
    private static final String[] LATIN1 = new String[0x100];

    private static final String EMPTY = new String(new char[0]);

    static {
        for (int c = 0; c < LATIN1.length; c++) {
            LATIN1[c] = String.valueOf((char) c);
        }
    }

    private ShortestStrings() {}

    /** Of no character. */
    public static String empty() {
        return new String(EMPTY);
    }

    /** Of any character. */
    public static String of(char c) {
        return c < LATIN1.length ? ofLatin1(c) : String.valueOf(c);
    }

    /** Of the one in the low byte. */
    public static String ofLatin1(long bytes) {
        return new String(LATIN1[(int) bytes & 0xFF]);
    }
}
