// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.apache.flink.boost.sidebyside.FramedRecords.content;
import static org.apache.flink.boost.sidebyside.FramedRecords.frame;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that find no memory in their middle: the writer waits, as stock's does. */
@Timeout(300)
class ChannelMemoryTest {

    /**
     * Without memory the writer waits in the middle of a record, and goes on when some is back.
     * Only the bytes are compared: how they are cut depends on who is faster.
     */
    @Test
    void waitsForMemoryInTheMiddleOfARecord() throws Exception {
        ChannelWriters writers = ChannelWriters.opened(1, 4, 1000, false, false);
        ByteArrayOutputStream[] taken = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int size : new int[] {20_000, 10, 3, 3993, 996, 7000}) {
            byte[] content = content(size);
            frame(expected, content);
            Emission[] emissions = start(writers, content);
            if (size > 4000) {
                assertThat(waiting(emissions)).isTrue();
            }
            for (int side = 0; side < emissions.length; side++) {
                while (emissions[side].isAlive()) {
                    takeAll(writers.both()[side], taken[side]);
                    emissions[side].join(1);
                }
                assertThat(emissions[side].result()).isEqualTo("emitted");
                writers.both()[side].flush();
                takeAll(writers.both()[side], taken[side]);
            }
        }
        for (ByteArrayOutputStream side : taken) {
            assertThat(side.toByteArray()).isEqualTo(expected.toByteArray());
        }
    }

    private static void takeAll(ChannelWriter writer, ByteArrayOutputStream taken)
            throws IOException, InterruptedException {
        ChannelBuffer next = writer.take(0);
        while (next != null) {
            taken.writeBytes(next.bytes());
            next = writer.take(0);
        }
    }

    /**
     * A task that is cancelled while it waits; a restarted one has new writers, but as in stock.
     */
    @Test
    void endsAsStockWhenInterruptedInTheMiddleOfARecord() throws Exception {
        for (int size : new int[] {4000, 3996, 10_000}) {
            ChannelWriters writers = ChannelWriters.opened(1, 4, 1000, false, false);
            Emission[] emissions = start(writers, content(size));
            if (waiting(emissions)) {
                for (Emission emission : emissions) {
                    emission.interrupt();
                    emission.join();
                }
            }
            assertThat(emissions[1].result()).isEqualTo(emissions[0].result());
            writers.step(writer -> "after");
            writers.take();
            // A writer of 1.9 refuses from now on, those of newer lines go on.
            ByteArrayOutputStream end = new ByteArrayOutputStream();
            for (int next : new int[] {5, 0, 2000}) {
                byte[] content = content(next);
                String result = writers.emit(0, Style.ARRAY, content);
                if (result.startsWith("emitted")) {
                    frame(end, content);
                }
                writers.take();
            }
            writers.flush();
            assertThat(writers.bytes(0)).endsWith(end.toByteArray());
            writers.close();
        }
    }

    private static Emission[] start(ChannelWriters writers, byte[] content) throws Exception {
        List<Emission> emissions = new ArrayList<>();
        for (ChannelWriter writer : writers.both()) {
            Emission emission = new Emission(writer, content);
            emission.start();
            emissions.add(emission);
        }
        return emissions.toArray(new Emission[0]);
    }

    /** Waits until both have ended, or both wait for memory that nobody gives back; whether so. */
    private static boolean waiting(Emission[] emissions) throws InterruptedException {
        boolean waiting = emissions[0].isWaiting();
        assertThat(emissions[1].isWaiting()).isEqualTo(waiting);
        return waiting;
    }

    /** A record being emitted by a task's own thread. */
    private static final class Emission extends Thread {

        private final ChannelWriter writer;
        private final byte[] content;
        private final AtomicReference<String> result = new AtomicReference<>();

        Emission(ChannelWriter writer, byte[] content) {
            this.writer = writer;
            this.content = content;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                result.set(new ChannelStep.Emit(0, Style.ARRAY, content).on(writer));
            } catch (IOException | InterruptedException | RuntimeException e) {
                result.set(e.getClass().getName() + ": " + e.getMessage());
            }
        }

        String result() {
            return result.get();
        }

        /** Waits until the thread has ended or waits for memory. */
        boolean isWaiting() throws InterruptedException {
            while (isAlive()) {
                State state = getState();
                if (state == State.WAITING || state == State.TIMED_WAITING) {
                    // A moment later still: it was not just a lock.
                    join(20);
                    if (getState() == state) {
                        return true;
                    }
                }
                join(1);
            }
            return false;
        }
    }
}
