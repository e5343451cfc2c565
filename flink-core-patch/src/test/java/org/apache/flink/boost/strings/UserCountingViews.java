// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Views that users derive from Flink's own to see what happens to them. Each overrides some methods
 * and remembers their calls; both sides load them with their own Flink.
 */
public final class UserCountingViews {

    private UserCountingViews() {}

    /** Sees single bytes. */
    public static class Output extends DataOutputSerializer {

        final List<String> calls = new ArrayList<>();

        /** With that capacity at first. */
        public Output(int capacity) {
            super(capacity);
        }

        /** What was called, in order. */
        public final String calls() {
            return calls.toString();
        }

        @Override
        public void write(int b) throws IOException {
            calls.add("write " + b);
            super.write(b);
        }
    }

    /** Sees single bytes by their other name, and arrays by nothing else. */
    public static final class ByteOutput extends Output {

        /** With that capacity at first. */
        public ByteOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void writeByte(int b) throws IOException {
            calls.add("writeByte " + b);
            super.writeByte(b);
        }
    }

    /** Sees arrays, which stock does not write, and other ways to go on. */
    public static final class ArraysOutput extends DataOutputSerializer {

        private final List<String> calls = new ArrayList<>();

        /** With that capacity at first. */
        public ArraysOutput(int capacity) {
            super(capacity);
        }

        /** What was called, in order. */
        public String calls() {
            return calls.toString();
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

    /** Sees single bytes and arrays. */
    public static final class AllOutput extends Output {

        /** With that capacity at first. */
        public AllOutput(int capacity) {
            super(capacity);
        }

        @Override
        public void write(int b) throws IOException {
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

    /** Sees single bytes. */
    public static final class Input extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;

        private final transient List<String> calls = new ArrayList<>();

        /** Reads {@code bytes[start, end)}. */
        public Input(byte[] bytes, int start, int end) {
            super(bytes, start, end - start);
        }

        /** What was called, in order. */
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
    public static final class ArraysInput extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;

        private final transient List<String> calls = new ArrayList<>();

        /** Reads {@code bytes[start, end)}. */
        public ArraysInput(byte[] bytes, int start, int end) {
            super(bytes, start, end - start);
        }

        /** What was called, in order. */
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
}
