// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

/** Patched did something else than stock; the message says what, where and on what. */
public final class Mismatch extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 60;

    Mismatch(String operation, String difference, SoakCase soakCase) {
        super(
                operation
                        + ": "
                        + difference
                        + "; text of kind "
                        + soakCase.kind
                        + " with "
                        + soakCase.text.length()
                        + " characters: "
                        + escaped(soakCase.text));
    }

    /**
     * @param what what patched did and what stock did
     */
    public Mismatch(String what) {
        super(what);
    }

    /** First code unit in which the strings differ, or their lengths. */
    static String describe(String patched, String stock) {
        if (patched == null || stock == null) {
            return "patched has " + patched + ", stock " + stock;
        }
        for (int i = 0; i < Math.min(patched.length(), stock.length()); i++) {
            if (patched.charAt(i) != stock.charAt(i)) {
                return String.format(
                        "character %d is %s, stock has %s",
                        i, named(patched.charAt(i)), named(stock.charAt(i)));
            }
        }
        return patched.length() == stock.length()
                ? "the characters are the same, but equals or hashCode is not"
                : patched.length() + " characters, stock has " + stock.length();
    }

    /** The code unit whose encoding holds byte {@code index} of the value. */
    static String characterAt(String text, int lengthField, int index) {
        int end = lengthField;
        for (int i = 0; i < text.length(); i++) {
            end += text.charAt(i) < 0x80 ? 1 : text.charAt(i) < 0x4000 ? 2 : 3;
            if (index < end && index >= lengthField) {
                return "character " + i + ", " + named(text.charAt(i));
            }
        }
        return index < lengthField ? "the length field" : "behind the value";
    }

    private static String named(char unit) {
        return String.format("U+%04X", (int) unit);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder("\"");
        for (int i = 0; i < Math.min(SHOWN, text.length()); i++) {
            char c = text.charAt(i);
            boolean plain = c >= ' ' && c < 0x7F && c != '"' && c != '\\';
            escaped.append(plain ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        return escaped.append(text.length() > SHOWN ? "\"..." : "\"").toString();
    }
}
