// SPDX-License-Identifier: Apache-2.0

/** Text as four hexadecimal digits per UTF-16 code unit, so that lone surrogates survive a file. */
final class CodeUnits {

    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private CodeUnits() {}

    static String decode(String digits) {
        char[] units = new char[digits.length() / 4];
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) Integer.parseInt(digits, 4 * i, 4 * i + 4, 16);
        }
        return new String(units);
    }

    static String encode(String text) {
        char[] digits = new char[4 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            for (int digit = 0; digit < 4; digit++) {
                digits[4 * i + digit] = DIGITS[text.charAt(i) >> 12 - 4 * digit & 0xF];
            }
        }
        return new String(digits);
    }
}
