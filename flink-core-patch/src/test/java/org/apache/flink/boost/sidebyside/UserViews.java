// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Views that users derive from Flink's own: some change nothing, some treat single bytes in their
 * own way, some see what happens to them.
 */
final class UserViews {

    private UserViews() {}

    /** A view that remembers calls of the methods that it overrides. */
    interface Counting {
        /** What was called, in order. */
        String calls();
    }

    /** Changes nothing. */
    static final class DerivedInput extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;
    }

    /** Turns over a bit of every single byte, but not of arrays: stock reads single bytes. */
    static final class DecipheringInput extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;

        @Override
        public int readUnsignedByte() throws IOException {
            return super.readUnsignedByte() ^ 1;
        }
    }

    /** Sees single bytes. */
    static final class BytesInput extends DataInputDeserializer implements Counting {

        private static final long serialVersionUID = 1L;

        private final transient List<String> calls = new ArrayList<>();

        @Override
        public String calls() {
            return calls.toString();
        }

        @Override
        public int readUnsignedByte() throws IOException {
            calls.add("readUnsignedByte");
            return super.readUnsignedByte();
        }

        @Override
        public byte readByte() throws IOException {
            calls.add("readByte");
            return super.readByte();
        }
    }

    /** Sees arrays, which stock does not read, and other ways to go on. */
    static final class ArraysInput extends DataInputDeserializer implements Counting {

        private static final long serialVersionUID = 1L;

        private final transient List<String> calls = new ArrayList<>();

        @Override
        public String calls() {
            return calls.toString();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            calls.add("read of " + length);
            return super.read(target, offset, length);
        }

        @Override
        public void readFully(byte[] target, int offset, int length) throws IOException {
            calls.add("readFully of " + length);
            super.readFully(target, offset, length);
        }

        @Override
        public int skipBytes(int count) {
            calls.add("skip " + count);
            return super.skipBytes(count);
        }
    }

    /** Changes nothing. */
    static final class DerivedOutput extends DataOutputSerializer {

        DerivedOutput(int capacity) {
            super(capacity);
        }
    }

    /** Turns over a bit of every single byte, but not of arrays: stock writes single bytes. */
    static final class CipheringOutput extends DataOutputSerializer {

        CipheringOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void write(int b) throws IOException {
            super.write(b ^ 1);
        }
    }

    private abstract static class CountingOutput extends DataOutputSerializer implements Counting {

        final List<String> calls = new ArrayList<>();

        CountingOutput(int capacity) {
            super(capacity);
        }

        @Override
        public final String calls() {
            return calls.toString();
        }
    }

    /** Sees single bytes. */
    static class WriteOutput extends CountingOutput {

        WriteOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void write(int b) throws IOException {
            calls.add("write " + b);
            super.write(b);
        }
    }

    /** Sees single bytes by their other name, too. */
    static final class BytesOutput extends WriteOutput {

        BytesOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void writeByte(int b) throws IOException {
            calls.add("writeByte " + b);
            super.writeByte(b);
        }
    }

    /** Sees arrays, which stock does not write, and other ways to go on. */
    static final class ArraysOutput extends CountingOutput {

        ArraysOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            calls.add("write of " + length);
            super.write(bytes, offset, length);
        }

        @Override
        public void skipBytesToWrite(int count) throws IOException {
            calls.add("skip " + count);
            super.skipBytesToWrite(count);
        }

        @Override
        public void setPosition(int position) {
            calls.add("setPosition " + position);
            super.setPosition(position);
        }
    }

    /** Sees single bytes and arrays, each by its own methods. */
    static final class AllOutput extends CountingOutput {

        AllOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void write(int b) throws IOException {
            calls.add("write " + b);
            super.write(b);
        }

        @Override
        public void writeByte(int b) throws IOException {
            calls.add("writeByte " + b);
            super.writeByte(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            calls.add("write of " + length);
            super.write(bytes, offset, length);
        }
    }
}
