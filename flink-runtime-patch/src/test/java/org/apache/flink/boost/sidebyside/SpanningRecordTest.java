// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records through Flink's own deserializer, from buffers so small that most records lie in several:
 * those in one buffer are read from its segment, those in two or more from an array, huge ones from
 * a file.
 */
class SpanningRecordTest {

    private static final int[] BUFFER_SIZES = {8, 9, 13, 16, 32, 33, 64, 100, 1000, 32768};

    private static final Constructor<?> STOCK = Sides.ofStock(FlinkRecordReader.class);

    @TempDir Path folder;

    @Test
    void readsRecordsThatSpanBuffers() throws IOException {
        SplittableRandom random = new SplittableRandom(81);
        for (int bufferSize : BUFFER_SIZES) {
            for (boolean offHeap : new boolean[] {false, true}) {
                List<String> texts = new ArrayList<>();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int i = 0; i < 150; i++) {
                    List<String> record = new ArrayList<>();
                    for (int k = random.nextInt(5); k > 0; k--) {
                        record.add(random.nextInt(20) == 0 ? null : Texts.any(random));
                    }
                    texts.addAll(record);
                    writeRecord(bytes, record);
                }
                assertThat(read(false, bytes.toByteArray(), bufferSize, offHeap))
                        .as("patched, buffers of %d bytes, off-heap %s", bufferSize, offHeap)
                        .isEqualTo(texts)
                        .hasSameHashCodeAs(texts)
                        .isEqualTo(read(true, bytes.toByteArray(), bufferSize, offHeap));
            }
        }
    }

    /** Each record once at each place of a buffer, so that each byte of it is a border once. */
    @Test
    void readsARecordThatIsCutAtAnyByte() throws IOException {
        for (String text :
                new String[] {"ascii text", "caf\u00e9 \u0416\u6f22", "\u0416".repeat(20)}) {
            for (int before = 0; before < 64; before++) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                writeRecord(bytes, Collections.singletonList("x".repeat(before)));
                writeRecord(bytes, Arrays.asList(text, null, text));
                for (boolean offHeap : new boolean[] {false, true}) {
                    assertThat(read(false, bytes.toByteArray(), 64, offHeap))
                            .isEqualTo(Arrays.asList("x".repeat(before), text, null, text))
                            .isEqualTo(read(true, bytes.toByteArray(), 64, offHeap));
                }
            }
        }
    }

    /** More than five megabytes go through a file. */
    @Test
    void readsARecordThatIsSpilled() throws IOException {
        SplittableRandom random = new SplittableRandom(82);
        String ascii = CodeUnits.ASCII.text(random, 6_000_000);
        String mixed = CodeUnits.ANY_UNIT.text(random, 2_500_000);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writeRecord(bytes, Collections.singletonList("in front"));
        writeRecord(bytes, Arrays.asList("small", ascii, mixed, "end"));
        writeRecord(bytes, Collections.singletonList("behind"));
        List<String> read = read(false, bytes.toByteArray(), 32768, true);
        assertThat(read.equals(Arrays.asList("in front", "small", ascii, mixed, "end", "behind")))
                .isTrue();
        assertThat(read.equals(read(true, bytes.toByteArray(), 32768, true))).isTrue();
    }

    /** A string whose length field leads out of its record: Flink's words on broken serializers. */
    @Test
    void endsAsStockOnARecordThatIsCutOff() throws IOException {
        byte[] value = Wire.encoded("a string that is longer than its record says");
        for (int missing : new int[] {1, 2, 20, value.length - 1}) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(4 + value.length - missing);
            out.writeInt(1);
            out.write(value, 0, value.length - missing);
            for (int bufferSize : new int[] {16, bytes.size(), 4096}) {
                for (boolean offHeap : new boolean[] {false, true}) {
                    String patched = failure(false, bytes.toByteArray(), bufferSize, offHeap);
                    assertThat(patched)
                            .isEqualTo(failure(true, bytes.toByteArray(), bufferSize, offHeap))
                            .isNotEqualTo("nothing was thrown");
                }
            }
        }
    }

    private String failure(boolean stock, byte[] bytes, int bufferSize, boolean offHeap) {
        try {
            read(stock, bytes, bufferSize, offHeap);
            return "nothing was thrown";
        } catch (IOException | RuntimeException e) {
            Throwable cause = e.getCause();
            return e.getClass().getName()
                    + ": "
                    + e.getMessage()
                    + (cause == null ? "" : " by " + cause.getClass().getName());
        }
    }

    private List<String> read(boolean stock, byte[] bytes, int bufferSize, boolean offHeap)
            throws IOException {
        RecordReader reader = stock ? stockReader() : new FlinkRecordReader();
        reader.open(folder.toString());
        return reader.read(bytes, bufferSize, offHeap);
    }

    private static RecordReader stockReader() {
        try {
            return (RecordReader) STOCK.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void writeRecord(ByteArrayOutputStream bytes, List<String> texts)
            throws IOException {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(record);
        out.writeInt(texts.size());
        for (String text : texts) {
            out.write(Wire.encoded(text));
        }
        new DataOutputStream(bytes).writeInt(record.size());
        record.writeTo(bytes);
    }
}
