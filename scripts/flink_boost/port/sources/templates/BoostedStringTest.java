// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Holds the string methods of {@link StringValue} against the wire format, written out plainly. */
class BoostedStringTest {

    private static final int[] LENGTHS = {0, 1, 2, 3, 7, 8, 9, 31, 32, 63, 64, 126, 127, 128, 2049};

    @Test
    void everyCodeUnitIsWrittenReadAndCopied() throws IOException {
        for (int unit = 0; unit <= Character.MAX_VALUE; unit++) {
            char text = (char) unit;
            check("" + text);
            check("abcdefg" + text + "hijklmnopq");
        }
    }

    @Test
    void textsOfAllAlphabetsAndLengthsAreWrittenReadAndCopied() throws IOException {
        Random random = new Random(1);
        for (int length : LENGTHS) {
            for (int limit : new int[] {0x80, 0x100, 0x800, 0x4000, 0x10000}) {
                check(text(random, length, limit));
            }
        }
        check(null);
    }

    @Test
    void theInstanceMethodsKeepTheirOwnLengthField() throws IOException {
        for (String text : new String[] {"", "a", "\u0416\u4e2d", "plain text of some length"}) {
            DataOutputSerializer out = new DataOutputSerializer(1);
            new StringValue(text).write(out);
            byte[] expected = encoded(text, 0);
            assertArrayEquals(expected, out.getCopyOfBuffer());
            StringValue read = new StringValue("before");
            read.read(new DataInputDeserializer(expected));
            assertEquals(text, read.getValue());
            DataOutputSerializer copy = new DataOutputSerializer(1);
            new StringValue().copy(new DataInputDeserializer(expected), copy);
            assertArrayEquals(expected, copy.getCopyOfBuffer());
        }
    }

    @Test
    void aValueThatIsCutOffIsRefused() throws IOException {
        byte[] whole = encoded("some text with \u0416 and \u4e2d", 1);
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(
                    EOFException.class,
                    () -> StringValue.readString(new DataInputDeserializer(part)));
        }
    }

    private static void check(String text) throws IOException {
        byte[] expected = encoded(text, 1);

        DataOutputSerializer out = new DataOutputSerializer(1);
        StringValue.writeString(text, out);
        assertArrayEquals(expected, out.getCopyOfBuffer());
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        StringValue.writeString(text, new DataOutputStream(stream));
        assertArrayEquals(expected, stream.toByteArray());

        DataInputDeserializer in = new DataInputDeserializer(expected);
        assertSame(text, StringValue.readString(in));
        assertEquals(0, in.available());
        ByteArrayInputStream bytes = new ByteArrayInputStream(expected);
        assertSame(text, StringValue.readString(new DataInputStream(bytes)));
        assertEquals(0, bytes.available());

        DataOutputSerializer copy = new DataOutputSerializer(1);
        StringValue.copyString(new DataInputDeserializer(expected), copy);
        assertArrayEquals(expected, copy.getCopyOfBuffer());
    }

    private static void assertSame(String expected, String found) {
        if (expected == null) {
            assertNull(found);
        } else {
            assertEquals(expected, found);
            assertEquals(new String(expected.toCharArray()).hashCode(), found.hashCode());
        }
    }

    private static String text(Random random, int length, int limit) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(limit));
        }
        return text.toString();
    }

    /** The length field, larger by {@code more} (0 is null), and each code unit, as varints. */
    private static byte[] encoded(String text, int more) {
        List<Integer> numbers = new ArrayList<>();
        numbers.add(text == null ? 0 : text.length() + more);
        for (int i = 0; text != null && i < text.length(); i++) {
            numbers.add((int) text.charAt(i));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int number : numbers) {
            int rest = number;
            while (rest >= 0x80) {
                bytes.write(rest | 0x80);
                rest >>>= 7;
            }
            bytes.write(rest);
        }
        return bytes.toByteArray();
    }
}
