// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;

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
        /** {@code DataOutputViewStreamWrapper}. */
        STREAM,
        /** A {@code DataOutputView} that Flink does not know. */
        FOREIGN
    }

    /** Size of the segments of {@link Input#PAGES}: small, so that values cross their ends. */
    int PAGE = 32;

    /**
     * Opens a view on {@code bytes[start, end)}. Segments reach to the end of the array, as network
     * buffers reach behind a record; the array must not change while the view is open.
     */
    void open(Input view, byte[] bytes, int start, int end);

    /** Index of the next byte, as in the array. */
    int position();

    /** Sets that index without asking whether it is in the view; not on streams and pages. */
    void moveTo(int position);

    /** Ends the life of the input: arrays released, view cleared, stream closed. */
    void release() throws IOException;

    /** Frees the segments under the input. */
    void free();

    /** Opens an output with room for that many bytes; only a serializer keeps to it. */
    void open(Output view, int capacity);

    /** Empties the output and keeps its memory. */
    void clear();

    /** Whether the output is a serializer, whose array is {@link #written} itself. */
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

    /** A {@code StringValue} of this side with that text. */
    CharSequence stringValue(CharSequence text);

    /** {@code readString(null)}, as far as it comes. */
    String readFromNull() throws IOException;

    /** {@code writeString(text, null)}, as far as it comes. */
    void writeToNull(CharSequence text) throws IOException;

    /** {@code copyString} with one of both sides null, as far as it comes. */
    void copyWithNull(boolean nullInput) throws IOException;
}
