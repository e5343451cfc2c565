// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.apache.flink.boost.sidebyside.FramedRecords.content;
import static org.apache.flink.boost.sidebyside.FramedRecords.encoded;
import static org.apache.flink.boost.sidebyside.FramedRecords.frame;
import static org.apache.flink.boost.sidebyside.FramedRecords.stockReader;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.flink.boost.sidebyside.ChannelStep.Kind;
import org.apache.flink.boost.strings.Texts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
                        ChannelWriters.opened(
                                1, (1 << 20) / bufferSize + 20, bufferSize, flushing, false);
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                for (int size : sizes) {
                    // The next record begins where this one has ended, and behind a short one.
                    for (int next : new int[] {size, 1, size}) {
                        byte[] content = content(next);
                        writers.emit(0, Style.ARRAY, content);
                        writers.take();
                        frame(expected, content);
                    }
                }
                writers.flush();
                assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
                writers.close();
            }
        }
    }

    /** Each short record at each place of a buffer, so that words of any length are cut. */
    @Test
    void writesShortRecordsAtAnyPlace() throws IOException {
        for (int size = 0; size <= 200; size++) {
            ChannelWriters writers = ChannelWriters.opened(1, 8, 256, false, false);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (int i = 0; i < 80; i++) {
                byte[] content = content(i % 5 == 0 ? i : size);
                writers.emit(0, Style.ARRAY, content);
                writers.take();
                frame(expected, content);
            }
            writers.flush();
            assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
            writers.close();
        }
    }

    /** Each step again and again, with a record behind each that shows whether it left anything. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void sendsTheSameBuffersForOneStep(Kind kind) throws IOException {
        SplittableRandom random = new SplittableRandom(11_860);
        for (int round = 0; round < 30; round++) {
            Kind[] kinds = {kind, Kind.EMIT};
            assertSends(random, round, kinds);
        }
    }

    /** Whatever is sent in whatever order; most of it are records. */
    @Test
    void sendsTheSameBuffersForAnySequence() throws IOException {
        SplittableRandom random = new SplittableRandom(11_859);
        for (int round = 0; round < 120; round++) {
            Kind[] kinds = new Kind[60];
            for (int i = 0; i < kinds.length; i++) {
                int choice = random.nextInt(11);
                kinds[i] = choice < Kind.values().length ? Kind.values()[choice] : Kind.EMIT;
            }
            assertSends(random, round, kinds);
        }
    }

    /** Sixty steps of these kinds in turn. */
    private static void assertSends(SplittableRandom random, int round, Kind[] kinds)
            throws IOException {
        int channels = 1 + random.nextInt(4);
        int bufferSize = new int[] {16, 64, 300, 4096, NETWORK_BUFFER}[round % 5];
        int largest = 3 * bufferSize + 5;
        boolean broadcasting = round % 4 == 3;
        ChannelWriters writers =
                ChannelWriters.opened(
                        channels, 8 * channels, bufferSize, round % 7 == 0, broadcasting);
        ByteArrayOutputStream[] expected = new ByteArrayOutputStream[channels];
        for (int channel = 0; channel < channels; channel++) {
            expected[channel] = new ByteArrayOutputStream();
        }
        for (int i = 0; i < 60; i++) {
            int size = random.nextInt(random.nextInt(3) == 0 ? largest : 40);
            Style style = new Style[] {Style.ARRAY, Style.BYTES, Style.LONGS}[random.nextInt(3)];
            byte[] content = content(size);
            ChannelStep step = kinds[i % kinds.length].of(random.nextInt(channels), style, content);
            assertThat(writers.step(step)).startsWith(step.result() + ";");
            for (int channel = 0; channel < channels; channel++) {
                if (step.reaches(channel, broadcasting)) {
                    frame(expected[channel], content);
                }
            }
            // Memory is short, so that not taking them would block.
            writers.take();
        }
        writers.flush();
        for (int channel = 0; channel < channels; channel++) {
            assertThat(writers.bytes(channel))
                    .as("round %d, channel %d", round, channel)
                    .isEqualTo(expected[channel].toByteArray());
        }
        writers.close();
    }

    /** What a record wrote before it threw is gone, however much it was. */
    @Test
    void writesTheNextRecordAfterOneThatThrew() throws IOException {
        ChannelWriters writers = ChannelWriters.opened(1, 80, NETWORK_BUFFER, false, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int size : new int[] {0, 1, 3, 4, 100, 124, 125, 128, 5000, 1_000_000}) {
            for (Style style : Style.values()) {
                byte[] content = content(size);
                assertThat(writers.step(new ChannelStep.Fail(0, style, content)))
                        .startsWith("java.io.IOException: broken record;");
                byte[] next = content(size / 2 + 7);
                writers.emit(0, Style.ARRAY, next);
                writers.take();
                frame(expected, next);
            }
        }
        writers.flush();
        assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
        writers.close();
    }

    /** A channel that there is not: stock's exception, and the next record is intact. */
    @Test
    void refusesAChannelThatThereIsNot() throws IOException {
        ChannelWriters writers = ChannelWriters.opened(1, 4, 1000, false, false);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int wrong : new int[] {-1, 1, 7}) {
            writers.emit(0, Style.ARRAY, content(8));
            assertThat(writers.emit(wrong, Style.ARRAY, content(8)))
                    .startsWith("java.lang.ArrayIndexOutOfBoundsException");
            frame(expected, content(8));
        }
        writers.flush();
        assertThat(writers.bytes(0)).isEqualTo(expected.toByteArray());
        writers.close();
    }

    /** Records of strings, so that the codec writes behind the length; read back by both sides. */
    @Test
    void bothSidesReadWhatTheOtherHasWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(53);
        for (int bufferSize : new int[] {16, 64, 1000, NETWORK_BUFFER}) {
            ChannelWriters writers =
                    ChannelWriters.opened(1, (1 << 20) / bufferSize + 20, bufferSize, false, false);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                List<String> record = new ArrayList<>();
                for (int k = random.nextInt(4); k > 0; k--) {
                    record.add(Texts.any(random));
                }
                texts.addAll(record);
                byte[] content = encoded(record);
                writers.emit(0, Style.BYTES, content);
                writers.take();
            }
            writers.flush();
            RecordReader[] readers = {new FlinkRecordReader(), stockReader()};
            for (RecordReader reader : readers) {
                reader.open(folder.toString());
                assertThat(reader.read(writers.bytes(0), bufferSize, true)).isEqualTo(texts);
            }
            writers.close();
        }
    }

    /** Strings written by the record itself: codec and framing together. */
    @Test
    void framesStringsThatTheCodecWrites() throws IOException {
        ChannelWriters writers = ChannelWriters.opened(2, 60, 4096, false, false);
        for (int size = 0; size < 2000; size += 3) {
            byte[] content = content(size);
            int channel = size & 1;
            writers.emit(channel, Style.STRINGS, content);
            writers.take();
        }
        writers.flush();
        writers.close();
    }
}
