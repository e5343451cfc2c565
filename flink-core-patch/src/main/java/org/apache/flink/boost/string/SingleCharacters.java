// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

/**
 * Strings of one character. Those of Latin-1 are made once and shared: flags and codes of one
 * letter are common, and making the two objects anew takes longer than reading their byte.
 */
final class SingleCharacters {

    private static final String[] LATIN1 = new String[0x100];

    static {
        for (int c = 0; c < LATIN1.length; c++) {
            LATIN1[c] = String.valueOf((char) c);
        }
    }

    private SingleCharacters() {}

    /** Of any character. */
    static String of(char c) {
        return c < LATIN1.length ? LATIN1[c] : String.valueOf(c);
    }

    /** Of the one in the low byte. */
    static String ofLatin1(long bytes) {
        return LATIN1[(int) bytes & 0xFF];
    }
}
