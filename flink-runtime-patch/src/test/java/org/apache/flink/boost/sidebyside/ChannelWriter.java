// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;

/** A task's way from records to the buffers of its channels, as one side has it. */
public interface ChannelWriter {

    /**
     * Sets up a record writer, its partition and the memory for it.
     *
     * @param buffers that the partition may have, all channels together
     * @param bufferSize in bytes
     * @param flushing whether a record is on its way as soon as it is written
     * @param broadcasting whether the writer is the one that sends everything to all channels
     */
    void open(int channels, int buffers, int bufferSize, boolean flushing, boolean broadcasting)
            throws IOException;

    /**
     * Emits a record to one channel, or to all when broadcasting; waits for memory when there is
     * none.
     */
    void emit(int channel, Style style, byte[] content) throws IOException, InterruptedException;

    /**
     * Emits a record that writes its content and then throws.
     *
     * @throws IOException {@code "broken record"}, always
     */
    void emitAndFail(int channel, Style style, byte[] content)
            throws IOException, InterruptedException;

    /** Emits a record to all channels. */
    void broadcast(Style style, byte[] content) throws IOException, InterruptedException;

    /** Sends an event to all channels, which ends the buffers that are being filled. */
    void event() throws IOException;

    /** Makes what has been written available. */
    void flush();

    /** The next buffer of a channel, given back to the pool; null when there is none. */
    ChannelBuffer take(int channel) throws IOException, InterruptedException;

    /** Bytes and buffers sent, buffers in use: what Flink shows as metrics. */
    String counts();

    /** Ends writer and partition and gives the memory back; how many buffers came home. */
    int close() throws IOException;
}
