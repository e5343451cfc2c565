// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Flink's string methods on Flink's views, as one side (patched or stock) has them.
 *
 * <p>This interface is loaded once; {@link FlinkCodec} behind it is loaded by each side's loader
 * and calls that side's classes directly, so that a comparison of both costs no reflection per
 * string. An object holds one input and one output; it belongs to one thread.
 */
public interface Codec {

    /** Views to read from. */
    enum Input {
        /** {@code DataInputDeserializer}. */
        DESERIALIZER,
        /** A subclass of it that changes nothing. */
        DERIVED,
        /** {@code DataInputViewStreamWrapper}. */
        STREAM,
        /** The same over a stream that gives a few bytes at a time. */
        SLOW_STREAM,
        /** A {@code DataInputView} that Flink does not know. */
        FOREIGN,
        /** {@code NonSpanningWrapper} on a heap segment. */
        HEAP_SEGMENT,
        /** {@code NonSpanningWrapper} on an off-heap segment. */
        OFF_HEAP_SEGMENT,
        /** The same on the middle of an array, as no official Flink has it. */
        SLICED_SEGMENT,
        /** {@code RandomAccessInputView} on segments of {@link #PAGE} bytes. */
        PAGES
    }

    /** Views to write to. */
    enum Output {
        /** {@code DataOutputSerializer}. */
        SERIALIZER,
        /** A subclass of it that changes nothing. */
        DERIVED,
        /** {@code DataOutputViewStreamWrapper}. */
        STREAM,
        /** A {@code DataOutputView} that Flink does not know. */
        FOREIGN,
        /** {@code SimpleCollectingOutputView} on segments of {@link #PAGE} bytes. */
        PAGES
    }

    /** Views to read from as users write them, for tests of their own. */
    enum UserInput {
        /**
         * A {@code DataInputView} that Flink does not know and that gives a few bytes at a time.
         */
        SLOW_FOREIGN,
        /** A {@code DataInputDeserializer} that turns over a bit of every single byte. */
        DECIPHERING,
        /** One that counts calls for single bytes. */
        COUNTING_BYTES,
        /** One that counts calls for arrays. */
        COUNTING_ARRAYS
    }

    /** Views to write to as users write them, for tests of their own. */
    enum UserOutput {
        /** A {@code DataOutputSerializer} that turns over a bit of every single byte. */
        CIPHERING,
        /** One that counts calls of {@code write}. */
        COUNTING_WRITE,
        /** One that counts calls of {@code writeByte}, too. */
        COUNTING_BYTES,
        /** One that counts calls for arrays and of other ways to go on. */
        COUNTING_ARRAYS,
        /** One that counts calls for single bytes and for arrays. */
        COUNTING_ALL,
        /** {@link Output#PAGES}, but no more of them than the capacity fills. */
        FEW_PAGES
    }

    /** Size of the segments of pages: small, so that values cross their ends. */
    int PAGE = 32;

    /**
     * Opens a view on {@code bytes[start, end)}. Segments reach to the end of the array, as network
     * buffers reach behind a record; the array must not change while the view is open.
     */
    void open(Input view, byte[] bytes, int start, int end);

    /** The same of a user's view. */
    void open(UserInput view, byte[] bytes, int start, int end);

    /** Opens a {@code DataInputViewStreamWrapper} on the test's own stream. */
    void openStream(InputStream stream);

    /** Takes the test's own input, which is no view of Flink. */
    void openPlain(DataInput plain);

    /** The open input. */
    DataInput input();

    /** Index of the next byte, as in the array; not where the input is the test's own. */
    int position();

    /** Sets that index without asking whether it is in the view; not on streams and pages. */
    void moveTo(int position);

    /** Ends the life of the input: arrays released, view cleared, stream closed. */
    void release() throws IOException;

    /** Frees the segments under the input. */
    void free();

    /** Opens an output with room for that many bytes; only a serializer keeps to it. */
    void open(Output view, int capacity);

    /** The same of a user's view. */
    void open(UserOutput view, int capacity);

    /** Opens a {@code DataOutputViewStreamWrapper} on the test's own stream. */
    void openStream(OutputStream stream);

    /** Takes the test's own output, which is no view of Flink. */
    void openPlain(DataOutput plain);

    /** The open output. */
    DataOutput output();

    /** Sets the index of a serializer's next byte without asking whether it is in the array. */
    void moveOutputTo(int position);

    /** Empties the output and keeps its memory. */
    void clear();

    /** Whether the output is a serializer or derived from it: {@link #written} is its array. */
    boolean isSerializer();

    /** The array that holds what was written, from index 0. */
    byte[] written();

    /** Number of bytes written. */
    int writtenLength();

    /** {@code StringValue.writeString} to the output. */
    void writeString(CharSequence text) throws IOException;

    /** {@code StringValue.readString} from the input. */
    String readString() throws IOException;

    /** {@code StringValue.copyString} from input to output. */
    void copyString() throws IOException;

    /** {@code copy} of {@code StringSerializer}. */
    void copyBySerializer() throws IOException;

    /** {@code write(segment, offset, length)} of a serializer: the open input's, or null. */
    void writeSegment(int offset, int length) throws IOException;

    /** The calls that a counting input has seen, in order. */
    String inputCalls();

    /** The same of a counting output. */
    String outputCalls();

    /** A {@code StringValue} of this side with that text. */
    CharSequence stringValue(CharSequence text);

    /** {@code read} of such a value from the input. */
    void readInto(CharSequence stringValue) throws IOException;

    /** The bytes of this side's {@code KryoSerializer}, which is given the object's own class. */
    byte[] serializedByKryo(Object object) throws IOException;

    /** {@code readString(null)}, as far as it comes. */
    String readFromNull() throws IOException;

    /** {@code writeString(text, null)}, as far as it comes. */
    void writeToNull(CharSequence text) throws IOException;

    /** {@code copyString} with one of both sides null, as far as it comes. */
    void copyWithNull(boolean nullInput) throws IOException;
}
