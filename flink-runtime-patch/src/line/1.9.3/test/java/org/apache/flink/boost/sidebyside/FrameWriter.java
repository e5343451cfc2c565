// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;

/** Flink's own way from records to one network buffer after the other, as one side has it. */
public interface FrameWriter {

    /** Serializes a record. */
    void serialize(Style style, byte[] content) throws IOException;

    /**
     * Serializes a record that writes its content and then throws.
     *
     * @throws IOException {@code "broken record"}, always
     */
    void serializeAndFail(Style style, byte[] content) throws IOException;

    /** Serializes a record that asks for room for {@code size} bytes more, which nobody has. */
    void serializeHuge(int size) throws IOException;

    /** Serializes no record at all. */
    void serializeNull() throws IOException;

    /** Starts a buffer, as a network pool would hand it out. */
    void openBuffer(int size, boolean offHeap);

    /** {@code copyToBufferBuilder}; the name of its result. */
    String copy();

    /** What has been committed to the buffer since the last call. */
    byte[] committed();

    /** Finishes the buffer; the number of bytes in it. */
    int finishBuffer();

    /** {@code reset}. */
    void reset();

    /** {@code prune}. */
    void prune();

    /** {@code hasSerializedData}. */
    boolean hasSerializedData();
}
