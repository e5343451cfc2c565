// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.sidebyside.Codec;

/** Drives one case after the other through both sides and compares all that can be seen. */
public final class Comparison {

    private static final Codec.Input[] OWN_INPUTS = {
        Codec.Input.DESERIALIZER, Codec.Input.HEAP_SEGMENT, Codec.Input.OFF_HEAP_SEGMENT
    };
    private static final String ASCII = "sixteen letters.";

    private final Codec patched;
    private final Codec stock;

    public Comparison(Codec patched, Codec stock) {
        this.patched = patched;
        this.stock = stock;
    }

    /**
     * Writes and reads the case's string, and copies it when it says so.
     *
     * @throws Mismatch at the first difference
     */
    public void check(SoakCase soakCase) {
        try {
            byte[] value = write(soakCase);
            if (soakCase.output != Codec.Output.SERIALIZER) {
                writeElsewhere(soakCase, value);
            }
            read(soakCase, value);
            if (soakCase.copy) {
                copy(soakCase, value);
            }
        } catch (Mismatch e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            Mismatch thrown = new Mismatch("some operation", "threw " + e, soakCase);
            thrown.initCause(e);
            throw thrown;
        }
    }

    /** The value as stock writes it to its own serializer. */
    private byte[] write(SoakCase soakCase) throws IOException {
        String prefix = ASCII.substring(0, soakCase.prefix);
        open(Codec.Output.SERIALIZER, soakCase.capacity);
        patched.writeString(prefix);
        stock.writeString(prefix);
        int start = stock.writtenLength();
        writeString(patched, soakCase);
        writeString(stock, soakCase);
        requireSameOutput("writeString to SERIALIZER", soakCase, start);
        requireRoomOfStock("writeString to SERIALIZER", soakCase);
        return Arrays.copyOfRange(stock.written(), start, stock.writtenLength());
    }

    private static void writeString(Codec codec, SoakCase soakCase) throws IOException {
        CharSequence sequence = soakCase.text;
        if (soakCase.otherSequence) {
            boolean builder = soakCase.slack % 2 == 0;
            sequence = builder ? new StringBuilder(sequence) : codec.stringValue(sequence);
        }
        codec.writeString(sequence);
    }

    private void writeElsewhere(SoakCase soakCase, byte[] value) throws IOException {
        patched.open(soakCase.output, 0);
        writeString(patched, soakCase);
        requireBytes("writeString to " + soakCase.output, soakCase, value);
    }

    private void read(SoakCase soakCase, byte[] value) throws IOException {
        byte[] bytes = embedded(soakCase, value);
        int behind = soakCase.offset + value.length;
        for (Codec.Input view : OWN_INPUTS) {
            if (view != soakCase.input) {
                readPatched(view, soakCase, bytes, behind);
                requirePosition("readString from ", view, soakCase, behind);
            }
        }
        Codec.Input view = soakCase.input;
        String read = readPatched(view, soakCase, bytes, behind);
        stock.open(view, bytes, soakCase.offset, end(soakCase, bytes, behind));
        String stocks = stock.readString();
        if (!read.equals(stocks)) {
            throw new Mismatch(
                    "readString from " + view, Mismatch.describe(read, stocks), soakCase);
        }
        requirePosition("readString from ", view, soakCase, stock.position());
    }

    private String readPatched(Codec.Input view, SoakCase soakCase, byte[] bytes, int behind)
            throws IOException {
        String text = soakCase.text;
        patched.open(view, bytes, soakCase.offset, end(soakCase, bytes, behind));
        String read = patched.readString();
        if (!text.equals(read) || !read.equals(text) || read.hashCode() != text.hashCode()) {
            throw new Mismatch("readString from " + view, Mismatch.describe(read, text), soakCase);
        }
        return read;
    }

    private void copy(SoakCase soakCase, byte[] value) throws IOException {
        byte[] bytes = embedded(soakCase, value);
        openBoth(soakCase, bytes, value.length);
        open(soakCase.output, soakCase.capacity);
        patched.copyString();
        stock.copyString();
        String operation = "copyString to " + soakCase.output + " from ";
        requireBytes(operation + soakCase.input, soakCase, value);
        requireRoomOfStock(operation + soakCase.input, soakCase);
        requirePosition(operation, soakCase.input, soakCase, stock.position());
    }

    private void open(Codec.Output view, int capacity) {
        patched.open(view, capacity);
        stock.open(view, capacity);
    }

    private void openBoth(SoakCase soakCase, byte[] bytes, int length) {
        int end = end(soakCase, bytes, soakCase.offset + length);
        patched.open(soakCase.input, bytes, soakCase.offset, end);
        stock.open(soakCase.input, bytes, soakCase.offset, end);
    }

    private static int end(SoakCase soakCase, byte[] bytes, int behind) {
        return soakCase.slackIsInput ? bytes.length : behind;
    }

    /** The value between bytes that would show if they were read. */
    private static byte[] embedded(SoakCase soakCase, byte[] value) {
        byte[] bytes = new byte[soakCase.offset + value.length + soakCase.slack];
        Arrays.fill(bytes, 0, soakCase.offset, (byte) 0xFF);
        System.arraycopy(value, 0, bytes, soakCase.offset, value.length);
        Arrays.fill(bytes, soakCase.offset + value.length, bytes.length, (byte) 0xFF);
        return bytes;
    }

    private void requireSameOutput(String operation, SoakCase soakCase, int start) {
        requireBytes(operation, soakCase, start, stock.written(), start, stock.writtenLength());
    }

    /** A serializer keeps its array for life: it must not be longer than stock's. */
    private void requireRoomOfStock(String operation, SoakCase soakCase) {
        if (patched.isSerializer() && patched.written().length > stock.written().length) {
            throw new Mismatch(
                    operation,
                    String.format(
                            "an array of %d bytes, stock has one of %d",
                            patched.written().length, stock.written().length),
                    soakCase);
        }
    }

    private void requireBytes(String operation, SoakCase soakCase, byte[] expected) {
        requireBytes(operation, soakCase, 0, expected, 0, expected.length);
    }

    private void requireBytes(
            String operation, SoakCase soakCase, int start, byte[] expected, int from, int to) {
        byte[] bytes = patched.written();
        int end = patched.writtenLength();
        if (Arrays.equals(bytes, start, end, expected, from, to)) {
            return;
        }
        int index = Arrays.mismatch(bytes, start, end, expected, from, to);
        int lengthField = 1;
        for (int rest = soakCase.text.length() + 1 >>> 7; rest > 0; rest >>>= 7) {
            lengthField++;
        }
        throw new Mismatch(
                operation,
                String.format(
                        "%d bytes, expected %d; the first that differs is byte %d (%s)",
                        end - start,
                        to - from,
                        index,
                        Mismatch.characterAt(soakCase.text, lengthField, index)),
                soakCase);
    }

    private void requirePosition(
            String operation, Codec.Input view, SoakCase soakCase, int expected) {
        if (patched.position() != expected) {
            throw new Mismatch(
                    operation + view,
                    "leaves the position at " + patched.position() + ", expected " + expected,
                    soakCase);
        }
    }
}
