// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.apache.flink.boost.sidebyside.FramedRecords.content;
import static org.apache.flink.boost.sidebyside.FramedRecords.encoded;
import static org.apache.flink.boost.sidebyside.FramedRecords.frame;
import static org.apache.flink.boost.sidebyside.FramedRecords.stockReader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.boost.strings.Texts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records through Flink's own record writer and partition: buffer by buffer the same bytes, counts
 * and exceptions as stock's.
 */
@Timeout(300)
class ChannelWriterTest {

    private static final int NETWORK_BUFFER = 32768;

    @TempDir Path folder;

    /** Each size around the ends of small and real buffers, at many places of a buffer. */
    @Test
    void writesRecordsAroundTheEndsOfBuffers() throws IOException {
        for (int bufferSize : new int[] {64, 1000, NETWORK_BUFFER}) {
            TreeSet<Integer> sizes = new TreeSet<>(List.of(0, 1, 3, 4, 5, 1 << 20));
            for (int buffers = 1; buffers <= 3; buffers++) {
                for (int size = -9; size <= 5; size++) {
                    sizes.add(buffers * bufferSize + size);
                }
            }
            for (boolean flushing : new boolean[] {false, true}) {
                ChannelWriters writers =
                        opened(1, (1 << 20) / bufferSize + 20, bufferSize, flushing, false);
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                for (int size : sizes) {
                    // The next record begins where this one has ended, and behind a short one.
                    for (int next : new int[] {size, 1, size}) {
                        byte[] content = content(next);
                        writers.step(writer -> emitted(writer, 0, Style.ARRAY, content));
                        writers.take();
                        frame(expected, content);
                    }
                }
                flushed(writers);
                assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
                closed(writers);
            }
        }
    }

    /** Each short record at each place of a buffer, so that words of any length are cut. */
    @Test
    void writesShortRecordsAtAnyPlace() throws IOException {
        for (int size = 0; size <= 200; size++) {
            ChannelWriters writers = opened(1, 8, 256, false, false);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (int i = 0; i < 80; i++) {
                byte[] content = content(i % 5 == 0 ? i : size);
                writers.step(writer -> emitted(writer, 0, Style.ARRAY, content));
                writers.take();
                frame(expected, content);
            }
            flushed(writers);
            assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
            closed(writers);
        }
    }

    /** Whatever is sent in whatever order. */
    @Test
    void sendsTheSameBuffersForAnySequence() throws IOException {
        SplittableRandom random = new SplittableRandom(11_859);
        for (int round = 0; round < 120; round++) {
            int channels = 1 + random.nextInt(4);
            int bufferSize = new int[] {16, 64, 300, 4096, NETWORK_BUFFER}[round % 5];
            int largest = 3 * bufferSize + 5;
            boolean broadcasting = round % 4 == 3;
            ChannelWriters writers =
                    opened(channels, 8 * channels, bufferSize, round % 7 == 0, broadcasting);
            ByteArrayOutputStream[] expected = new ByteArrayOutputStream[channels];
            for (int channel = 0; channel < channels; channel++) {
                expected[channel] = new ByteArrayOutputStream();
            }
            for (int i = 0; i < 60; i++) {
                step(writers, random, expected, largest, broadcasting);
                // Memory is short, so that not taking them would block.
                writers.take();
            }
            flushed(writers);
            for (int channel = 0; channel < channels; channel++) {
                assertThat(writers.bytes(channel))
                        .as("round %d, channel %d", round, channel)
                        .isEqualTo(expected[channel].toByteArray());
            }
            closed(writers);
        }
    }

    private static void step(
            ChannelWriters writers,
            SplittableRandom random,
            ByteArrayOutputStream[] expected,
            int largest,
            boolean broadcasting)
            throws IOException {
        int channel = random.nextInt(expected.length);
        int size = random.nextInt(random.nextInt(3) == 0 ? largest : 40);
        byte[] content = content(size);
        Style style = new Style[] {Style.ARRAY, Style.BYTES, Style.LONGS}[random.nextInt(3)];
        switch (random.nextInt(11)) {
            case 0:
                writers.step(
                        writer -> {
                            writer.flush();
                            return "flushed";
                        });
                return;
            case 1:
                writers.step(
                        writer -> {
                            writer.broadcast(style, content);
                            return "broadcast";
                        });
                break;
            case 2:
                assertThat(
                                writers.step(
                                        writer -> {
                                            writer.emitAndFail(channel, style, content);
                                            return "nothing was thrown";
                                        }))
                        .contains("broken record");
                return;
            case 3:
                writers.step(
                        writer -> {
                            writer.event();
                            return "event";
                        });
                return;
            default:
                writers.step(writer -> emitted(writer, channel, style, content));
                if (!broadcasting) {
                    frame(expected[channel], content);
                    return;
                }
                break;
        }
        for (ByteArrayOutputStream each : expected) {
            frame(each, content);
        }
    }

    /** What a record wrote before it threw is gone, however much it was. */
    @Test
    void writesTheNextRecordAfterOneThatThrew() throws IOException {
        ChannelWriters writers = opened(1, 80, NETWORK_BUFFER, false, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int size : new int[] {0, 1, 3, 4, 100, 124, 125, 128, 5000, 1_000_000}) {
            for (Style style : Style.values()) {
                byte[] content = content(size);
                assertThat(
                                writers.step(
                                        writer -> {
                                            writer.emitAndFail(0, style, content);
                                            return "nothing was thrown";
                                        }))
                        .contains("broken record");
                byte[] next = content(size / 2 + 7);
                writers.step(writer -> emitted(writer, 0, Style.ARRAY, next));
                writers.take();
                frame(expected, next);
            }
        }
        flushed(writers);
        assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
        closed(writers);
    }

    /**
     * Without memory the writer waits in the middle of a record, and goes on when some is back.
     * Only the bytes are compared: how they are cut depends on who is faster.
     */
    @Test
    void waitsForMemoryInTheMiddleOfARecord() throws Exception {
        ChannelWriters writers = opened(1, 4, 1000, false, false);
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
            ChannelWriters writers = opened(1, 4, 1000, false, false);
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
                String result = writers.step(writer -> emitted(writer, 0, Style.ARRAY, content));
                if (result.startsWith("emitted")) {
                    frame(end, content);
                }
                writers.take();
            }
            flushed(writers);
            assertThat(writers.bytes(0)).endsWith(end.toByteArray());
            closed(writers);
        }
    }

    /** A channel that there is not: stock's exception, and the next record is intact. */
    @Test
    void refusesAChannelThatThereIsNot() throws IOException {
        ChannelWriters writers = opened(1, 4, 1000, false, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int wrong : new int[] {-1, 1, 7}) {
            writers.step(writer -> emitted(writer, 0, Style.ARRAY, content(8)));
            assertThat(writers.step(writer -> emitted(writer, wrong, Style.ARRAY, content(8))))
                    .startsWith("java.lang.ArrayIndexOutOfBoundsException");
            frame(expected, content(8));
        }
        flushed(writers);
        assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
        closed(writers);
    }

    /** Records of strings, so that the codec writes behind the length; read back by both sides. */
    @Test
    void bothSidesReadWhatTheOtherHasWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(53);
        for (int bufferSize : new int[] {16, 64, 1000, NETWORK_BUFFER}) {
            ChannelWriters writers =
                    opened(1, (1 << 20) / bufferSize + 20, bufferSize, false, false);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                List<String> record = new ArrayList<>();
                for (int k = random.nextInt(4); k > 0; k--) {
                    record.add(Texts.any(random));
                }
                texts.addAll(record);
                byte[] content = encoded(record);
                writers.step(writer -> emitted(writer, 0, Style.BYTES, content));
                writers.take();
            }
            flushed(writers);
            RecordReader[] readers = {new FlinkRecordReader(), stockReader()};
            for (RecordReader reader : readers) {
                reader.open(folder.toString());
                assertThat(reader.read(writers.bytes(0), bufferSize, true)).isEqualTo(texts);
            }
            closed(writers);
        }
    }

    /** Strings written by the record itself: codec and framing together. */
    @Test
    void framesStringsThatTheCodecWrites() throws IOException {
        ChannelWriters writers = opened(2, 60, 4096, false, false);
        for (int size = 0; size < 2000; size += 3) {
            byte[] content = content(size);
            int channel = size & 1;
            writers.step(writer -> emitted(writer, channel, Style.STRINGS, content));
            writers.take();
        }
        flushed(writers);
        closed(writers);
    }

    /** The comparison bites: one bit of one byte is enough, in the length and in the record. */
    @Test
    void findsAWrongByte() throws IOException {
        for (int wrong : new int[] {0, 3, 4, 11}) {
            ChannelWriters writers =
                    new ChannelWriters(withWrongByte(wrong), ChannelWriters.stock(), 1);
            writers.step(writer -> open(writer, 1, 4, 100, false, false));
            writers.step(writer -> emitted(writer, 0, Style.ARRAY, content(8)));
            writers.step(
                    writer -> {
                        writer.flush();
                        return "flushed";
                    });
            assertThatThrownBy(writers::take)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("12 bytes: [");
        }
    }

    /** What Flink counts is compared, too: here a buffer is not ended by an event. */
    @Test
    void findsAWrongCount() {
        ChannelWriters writers = new ChannelWriters(withoutEvents(), ChannelWriters.stock(), 1);
        writers.step(writer -> open(writer, 1, 4, 100, false, false));
        writers.step(writer -> emitted(writer, 0, Style.ARRAY, content(8)));
        assertThatThrownBy(
                        () ->
                                writers.step(
                                        writer -> {
                                            writer.event();
                                            return "event";
                                        }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("12 bytes out, 1 buffers out");
    }

    private static ChannelWriter withWrongByte(int wrong) {
        return altered(
                "take",
                taken -> {
                    ((ChannelBuffer) taken).bytes()[wrong] ^= 1;
                    return taken;
                });
    }

    private static ChannelWriter withoutEvents() {
        ChannelWriter real = new FlinkChannelWriter();
        return proxy(
                (method, arguments) ->
                        method.getName().equals("event") ? null : method.invoke(real, arguments));
    }

    private static ChannelWriter altered(String name, Change change) {
        ChannelWriter real = new FlinkChannelWriter();
        return proxy(
                (method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    return method.getName().equals(name) ? change.of(result) : result;
                });
    }

    private static ChannelWriter proxy(Handler handler) {
        return (ChannelWriter)
                Proxy.newProxyInstance(
                        ChannelWriter.class.getClassLoader(),
                        new Class<?>[] {ChannelWriter.class},
                        (proxy, method, arguments) -> handler.handle(method, arguments));
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private interface Change {
        Object of(Object result);
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
                result.set(emitted(writer, 0, Style.ARRAY, content));
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

    private static ChannelWriters opened(
            int channels, int buffers, int bufferSize, boolean flushing, boolean broadcasting) {
        ChannelWriters writers = ChannelWriters.sideBySide(channels);
        writers.step(writer -> open(writer, channels, buffers, bufferSize, flushing, broadcasting));
        return writers;
    }

    private static String open(
            ChannelWriter writer,
            int channels,
            int buffers,
            int bufferSize,
            boolean flushing,
            boolean broadcasting)
            throws IOException {
        writer.open(channels, buffers, bufferSize, flushing, broadcasting);
        return "opened";
    }

    private static String emitted(ChannelWriter writer, int channel, Style style, byte[] content)
            throws IOException, InterruptedException {
        writer.emit(channel, style, content);
        return "emitted";
    }

    private static void flushed(ChannelWriters writers) {
        writers.step(
                writer -> {
                    writer.flush();
                    return "flushed";
                });
        writers.take();
    }

    /** No buffer is lost on either side. */
    private static void closed(ChannelWriters writers) {
        writers.step(writer -> "closed, " + writer.close() + " buffers are back");
    }
}
