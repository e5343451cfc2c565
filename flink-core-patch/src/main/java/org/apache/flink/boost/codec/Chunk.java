// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

/**
 * Memory of one thread for the bytes and characters on their way through a view that is not Flink's
 * own memory.
 *
 * <p>A view is foreign code: it may itself read or write strings while we wait for it. Whoever has
 * taken a chunk keeps it to the end, and what runs inside gets the next one of the same thread.
 */
public final class Chunk {

    /**
     * Size in bytes and in characters; stock keeps as many characters per thread ({@code
     * SHORT_STRING_MAX_LENGTH}), and above allocates what the length field says.
     */
    public static final int SIZE = 2048;

    private static final ThreadLocal<Chunk> OUTERMOST = ThreadLocal.withInitial(Chunk::new);

    public final byte[] bytes = new byte[SIZE];
    public final char[] chars = new char[SIZE];
    public final StreamDecoder decoder = new StreamDecoder();

    /** The view has shown its end behind the bytes that came last. */
    public boolean ended;

    private boolean taken;
    private Chunk inner;

    private Chunk() {}

    /** The first chunk of this thread that nobody uses; to be given back with {@link #release}. */
    public static Chunk take() {
        Chunk chunk = OUTERMOST.get();
        while (chunk.taken) {
            if (chunk.inner == null) {
                chunk.inner = new Chunk();
            }
            chunk = chunk.inner;
        }
        chunk.taken = true;
        chunk.ended = false;
        return chunk;
    }

    public void release() {
        taken = false;
    }
}
