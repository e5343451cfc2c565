// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static java.lang.Integer.MAX_VALUE;
import static org.apache.flink.boost.sidebyside.FramedRecords.content;
import static org.apache.flink.boost.sidebyside.FramedRecords.encoded;
import static org.apache.flink.boost.sidebyside.FramedRecords.frame;
import static org.apache.flink.boost.sidebyside.FramedRecords.stockReader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.flink.boost.strings.Texts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in network buffers: the same bytes and the same answers as stock's after each step. */
class RecordFramingTest {

    private static final int NETWORK_BUFFER = 32768;

    @TempDir Path folder;

    /** Each size of a record at each place of a buffer, so that its length is cut at each byte. */
    @Test
    void writesRecordsOfAnySizeAtAnyPlace() throws IOException {
        for (int bufferSize : new int[] {1, 3, 4, 5, 8, 33}) {
            for (int size = 0; size <= 2 * bufferSize + 5; size++) {
                for (int before = 0; before < bufferSize; before++) {
                    FrameWriters writers = opened(bufferSize, before % 2 == 0);
                    ByteArrayOutputStream expected = new ByteArrayOutputStream();
                    for (int next : new int[] {before, size, 0, size}) {
                        byte[] content = content(next);
                        writers.step(writer -> serialized(writer, Style.ARRAY, content));
                        writers.copyAll(bufferSize, before % 2 == 0);
                        frame(expected, content);
                    }
                    assertThat(writers.bytes()).isEqualTo(expected.toByteArray());
                }
            }
        }
    }

    /** Around the end of a real buffer, of several, and of the serializer's own array. */
    @Test
    void writesRecordsAroundTheEndsOfBuffers() throws IOException {
        TreeSet<Integer> sizes = new TreeSet<>(Arrays.asList(0, 1, 3, 4, 5, 1 << 20));
        for (int end : new int[] {128, 256, NETWORK_BUFFER, 2 * NETWORK_BUFFER}) {
            for (int size = end - 10; size <= end + 10; size++) {
                sizes.add(size);
            }
        }
        for (Style style : new Style[] {Style.ARRAY, Style.BYTES, Style.LONGS}) {
            for (boolean offHeap : new boolean[] {false, true}) {
                FrameWriters writers = opened(NETWORK_BUFFER, offHeap);
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                for (int size : sizes) {
                    byte[] content = content(size);
                    FrameWriters fresh = opened(NETWORK_BUFFER, offHeap);
                    for (FrameWriters each : new FrameWriters[] {fresh, writers}) {
                        each.step(writer -> serialized(writer, style, content));
                        each.copyAll(NETWORK_BUFFER, offHeap);
                    }
                    frame(expected, content);
                }
                assertThat(writers.bytes()).isEqualTo(expected.toByteArray());
            }
        }
    }

    /** Whatever is called in whatever order, sensible or not. */
    @Property
    void answersAsStockAfterAnySequence(
            @ForAll @IntRange(min = 1, max = 300) int bufferSize,
            @ForAll boolean offHeap,
            @ForAll("calls") List<Call> calls) {
        FrameWriters writers = opened(bufferSize, offHeap);
        for (Call call : calls) {
            writers.step(writer -> call.on(writer, bufferSize, offHeap));
            writers.drain();
        }
    }

    @Provide
    Arbitrary<List<Call>> calls() {
        Arbitrary<Integer> sizes =
                Arbitraries.oneOf(
                        Arbitraries.integers().between(0, 20),
                        Arbitraries.integers().between(110, 140),
                        Arbitraries.integers().between(0, 1000));
        return Combinators.combine(Arbitraries.of(Kind.class), Arbitraries.of(Style.class), sizes)
                .as(Call::new)
                .list()
                .ofMaxSize(40);
    }

    /** One record to many channels, whose buffers end at different places. */
    @Test
    void copiesARecordAgainAfterReset() {
        SplittableRandom random = new SplittableRandom(51);
        for (int round = 0; round < 200; round++) {
            byte[] content = content(random.nextInt(300));
            FrameWriters writers = opened(1 + random.nextInt(100), true);
            writers.step(writer -> serialized(writer, Style.BYTES, content));
            for (int channel = 0; channel < 5; channel++) {
                int bufferSize = 1 + random.nextInt(100);
                writers.step(
                        writer -> {
                            writer.reset();
                            return FrameWriters.open(writer, bufferSize, true);
                        });
                writers.copyAll(bufferSize, true);
            }
            writers.step(RecordFramingTest::pruned);
        }
    }

    /** What a record wrote before it threw is gone, however much it was. */
    @Test
    void writesTheNextRecordAfterOneThatThrew() throws IOException {
        FrameWriters writers = opened(NETWORK_BUFFER, true);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int size : new int[] {0, 1, 3, 4, 100, 124, 125, 128, 5000, 6_000_000}) {
            for (Style style : Style.values()) {
                byte[] content = content(size);
                String thrown =
                        writers.step(
                                writer -> {
                                    writer.serializeAndFail(style, content);
                                    return "nothing was thrown";
                                });
                assertThat(thrown).contains("broken record");
                byte[] next = content(size / 2 + 7);
                writers.step(writer -> serialized(writer, style, next));
                if (style == Style.STRINGS) {
                    continue;
                }
                writers.copyAll(NETWORK_BUFFER, true);
                frame(expected, next);
            }
        }
        assertThat(writers.bytes()).isEqualTo(expected.toByteArray());
    }

    /** A record for which there can be no array: Flink's words, and the next record is intact. */
    @Test
    void endsAsStockOnARecordThatIsTooLarge() throws IOException {
        for (int size : new int[] {MAX_VALUE - 200, MAX_VALUE - 129, MAX_VALUE}) {
            FrameWriters writers = opened(100, true);
            String thrown =
                    writers.step(
                            writer -> {
                                writer.serializeHuge(size);
                                return "nothing was thrown";
                            });
            assertThat(thrown)
                    .contains(
                            size + 128 > 0
                                    ? "Failed to serialize element. Serialized size (> "
                                    : "IndexOutOfBoundsException");
            writers.step(writer -> serialized(writer, Style.ARRAY, content(8)));
            writers.copyAll(100, true);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            frame(expected, content(8));
            assertThat(writers.bytes()).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void endsAsStockWithoutARecord() {
        FrameWriters writers = opened(100, true);
        assertThat(writers.step(RecordFramingTest::serializedNull)).contains("NullPointer");
        writers.step(writer -> serialized(writer, Style.ARRAY, content(8)));
        assertThat(writers.step(RecordFramingTest::serializedNull)).contains("NullPointer");
    }

    /** Records of strings, so that the codec writes behind the length; read back by both sides. */
    @Test
    void bothSidesReadWhatTheOtherHasWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(52);
        for (int bufferSize : new int[] {8, 13, 64, 1000, NETWORK_BUFFER}) {
            FrameWriters writers = opened(bufferSize, true);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                List<String> record = new ArrayList<>();
                for (int k = random.nextInt(4); k > 0; k--) {
                    record.add(Texts.any(random));
                }
                texts.addAll(record);
                byte[] content = encoded(record);
                writers.step(writer -> serialized(writer, Style.BYTES, content));
                writers.copyAll(bufferSize, true);
            }
            RecordReader ours = new FlinkRecordReader();
            RecordReader stocks = stockReader();
            for (RecordReader reader : new RecordReader[] {ours, stocks}) {
                reader.open(folder.toString());
                assertThat(reader.read(writers.bytes(), bufferSize, true)).isEqualTo(texts);
            }
        }
    }

    /** The comparison bites: one bit of one byte is enough, in the length and in the record. */
    @Test
    void findsAWrongByte() {
        for (int wrong : new int[] {0, 3, 4, 11}) {
            FrameWriters writers = new FrameWriters(withWrongByte(wrong), FrameWriters.stock());
            writers.step(writer -> FrameWriters.open(writer, 100, true));
            writers.step(writer -> serialized(writer, Style.ARRAY, content(8)));
            assertThatThrownBy(() -> writers.copyAll(100, true))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected");
        }
    }

    @Test
    void findsAWrongAnswer() {
        FrameWriters writers = new FrameWriters(withoutReset(), FrameWriters.stock());
        writers.step(writer -> FrameWriters.open(writer, 100, true));
        writers.step(writer -> serialized(writer, Style.ARRAY, content(8)));
        writers.step(FrameWriter::copy);
        assertThatThrownBy(() -> writers.step(RecordFramingTest::reset))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("more to copy");
    }

    private static FrameWriter withWrongByte(int wrong) {
        return altered(
                "committed",
                (bytes) -> {
                    ((byte[]) bytes)[wrong] ^= 1;
                    return bytes;
                });
    }

    private static FrameWriter withoutReset() {
        FrameWriter real = new FlinkFrameWriter();
        return (FrameWriter)
                Proxy.newProxyInstance(
                        FrameWriter.class.getClassLoader(),
                        new Class<?>[] {FrameWriter.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("reset")
                                        ? null
                                        : method.invoke(real, arguments));
    }

    private static FrameWriter altered(String name, Change change) {
        FrameWriter real = new FlinkFrameWriter();
        return (FrameWriter)
                Proxy.newProxyInstance(
                        FrameWriter.class.getClassLoader(),
                        new Class<?>[] {FrameWriter.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object result = method.invoke(real, arguments);
                                return method.getName().equals(name) ? change.of(result) : result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private interface Change {
        Object of(Object result);
    }

    private static FrameWriters opened(int bufferSize, boolean offHeap) {
        FrameWriters writers = FrameWriters.sideBySide();
        writers.step(writer -> FrameWriters.open(writer, bufferSize, offHeap));
        return writers;
    }

    private static String serialized(FrameWriter writer, Style style, byte[] content)
            throws IOException {
        writer.serialize(style, content);
        return "serialized";
    }

    private static String serializedNull(FrameWriter writer) throws IOException {
        writer.serializeNull();
        return "serialized";
    }

    private static String reset(FrameWriter writer) {
        writer.reset();
        return "reset";
    }

    private static String pruned(FrameWriter writer) {
        writer.prune();
        return "pruned";
    }

    private enum Kind {
        SERIALIZE,
        SERIALIZE_AND_COPY,
        FAIL,
        COPY,
        FINISH,
        OPEN,
        RESET,
        PRUNE
    }

    /** One call on a serializer. */
    private static final class Call {

        private final Kind kind;
        private final Style style;
        private final int size;

        Call(Kind kind, Style style, int size) {
            this.kind = kind;
            this.style = style;
            this.size = size;
        }

        String on(FrameWriter writer, int bufferSize, boolean offHeap) throws IOException {
            switch (kind) {
                case SERIALIZE:
                    return serialized(writer, style, content(size));
                case SERIALIZE_AND_COPY:
                    return serialized(writer, style, content(size)) + ", " + writer.copy();
                case FAIL:
                    fail(writer);
                    return "serialized";
                case COPY:
                    return writer.copy();
                case FINISH:
                    return "finished " + writer.finishBuffer();
                case OPEN:
                    return FrameWriters.open(writer, bufferSize, offHeap);
                case RESET:
                    return reset(writer);
                default:
                    return pruned(writer);
            }
        }

        /**
         * What has failed lies in the array, and stock sends it when it is told to go on. Short
         * enough not to grow the array, and no strings: the codec may use room behind their end.
         */
        private void fail(FrameWriter writer) throws IOException {
            writer.serializeAndFail(
                    style == Style.STRINGS ? Style.ARRAY : style, content(size % 100));
        }

        @Override
        public String toString() {
            return kind + " " + style + " " + size;
        }
    }
}
