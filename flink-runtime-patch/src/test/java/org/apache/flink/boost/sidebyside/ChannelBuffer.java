// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.util.Arrays;

/** A buffer as it leaves a task for the network: what it says of itself, and its bytes. */
public final class ChannelBuffer {

    private final String description;
    private final byte[] bytes;

    /**
     * A buffer that was taken.
     *
     * @param description whether it is data or an event, and what is waiting behind it
     */
    public ChannelBuffer(String description, byte[] bytes) {
        this.description = description;
        this.bytes = bytes;
    }

    /** The content; it is not copied. */
    public byte[] bytes() {
        return bytes;
    }

    boolean isData() {
        return description.startsWith("data");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChannelBuffer
                && ((ChannelBuffer) other).description.equals(description)
                && Arrays.equals(((ChannelBuffer) other).bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return description
                + ", "
                + bytes.length
                + " bytes: "
                + Arrays.toString(Arrays.copyOf(bytes, Math.min(bytes.length, 100)));
    }
}
