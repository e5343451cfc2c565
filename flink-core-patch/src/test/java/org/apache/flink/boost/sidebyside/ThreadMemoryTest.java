// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Memory that a thread keeps for its life once it has read or written strings: what its first call
 * allocates beyond its second one. Stock keeps 2,048 characters for reading, on lines newer than
 * 1.9; ours keep a {@code Chunk} of as many characters and bytes where strings pass through a
 * stream, and where strings cannot be looked into.
 */
class ThreadMemoryTest {

    /** 2,048 characters and their header. */
    private static final long STOCK = 4096 + 16;

    /** 2,048 bytes more, twice where strings go through streams and arrays, and small objects. */
    private static final long OURS = 2 * (STOCK + 2048 + 16) + 1024;

    private static final String TEXT = "caf\u00e9, a text that is long enough";

    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"DESERIALIZER", "STREAM", "FOREIGN"})
    void readingKeepsAChunkAtMost(Input view) throws Exception {
        byte[] bytes = Wire.encoded(TEXT);
        Step read =
                codec -> {
                    codec.open(view, bytes, 0, bytes.length);
                    codec.readString();
                };
        assertKeepsLittle(Sides.patched(), read);
        long stocks = kept(Sides.stock(), read);
        assertThat(stocks).isLessThanOrEqualTo(STOCK + 1024);
        // Switched off, ours is stock's.
        if (!BoostMode.ENABLED) {
            assertThat(kept(Sides.patched(), read)).isEqualTo(stocks);
        }
    }

    @ParameterizedTest
    @EnumSource(Output.class)
    void writingKeepsAChunkAtMost(Output output) throws Exception {
        Step write =
                codec -> {
                    codec.open(output, 100);
                    codec.writeString(TEXT);
                };
        assertKeepsLittle(Sides.patched(), write);
        // Stock writes byte by byte.
        assertThat(kept(Sides.stock(), write)).isZero();
        if (output == Output.SERIALIZER) {
            assertThat(kept(Sides.patched(), write)).isZero();
        }
    }

    /** The long text before does not make the thread keep more. */
    @Test
    void longTextIsNotKept() throws Exception {
        byte[] bytes = Wire.encoded("\u6f22".repeat(1_000_000));
        Codec codec = Sides.patched();
        Step read =
                one -> {
                    one.open(Input.STREAM, bytes, 0, bytes.length);
                    one.readString();
                };
        assertKeepsLittle(codec, read);
    }

    /** The measure bites: a step that keeps an array per thread is found out. */
    @Test
    void anArrayPerThreadIsFoundOut() throws Exception {
        ThreadLocal<byte[]> array = ThreadLocal.withInitial(() -> new byte[50_000]);
        assertThat(kept(Sides.patched(), codec -> array.get())).isBetween(50_000L, 51_024L);
    }

    private static void assertKeepsLittle(Codec codec, Step step) throws Exception {
        assertThat(kept(codec, step)).isBetween(0L, OURS);
    }

    /** On a new thread, once everything is loaded: the first call's bytes less the least next. */
    private static long kept(Codec codec, Step step) throws Exception {
        for (int i = 0; i < 3; i++) {
            step.on(codec);
        }
        long least = Long.MAX_VALUE;
        for (int thread = 0; thread < 5; thread++) {
            FutureTask<Long> task = new FutureTask<>(() -> firstBeyondNext(codec, step));
            Thread measured = new Thread(task);
            measured.start();
            least = Math.min(least, task.get());
            measured.join();
        }
        return least;
    }

    private static long firstBeyondNext(Codec codec, Step step) throws Exception {
        long[] allocated = new long[4];
        for (int i = 0; i < allocated.length; i++) {
            long before = Allocation.allocated();
            step.on(codec);
            allocated[i] = Allocation.allocated() - before;
        }
        return allocated[0] - Arrays.stream(allocated, 1, allocated.length).min().getAsLong();
    }

    private interface Step {
        void on(Codec codec) throws IOException;
    }
}
