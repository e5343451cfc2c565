// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Codec.UserInput;
import org.apache.flink.boost.sidebyside.Codec.UserOutput;
import org.apache.flink.boost.sidebyside.MalformedValues;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.CopyPath.Ends;
import org.apache.flink.boost.strings.CopyPath.Source;
import org.apache.flink.boost.strings.CopyPath.Target;
import org.apache.flink.boost.woven.StringValuePatch;
import org.junit.jupiter.api.Test;

/**
 * What copying an encoded string must do, from every source to every target: the same bytes,
 * exceptions and positions on both views as stock's classes in the same JVM.
 */
class StringCopyTest {

    /** Of a long list of inputs each path has every so many. */
    private static final int TURNS = 7;

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();
    private final List<CopyPath> paths = CopyPath.all();

    @Test
    void copiesAllKindsAtBoundaryLengths() {
        AtomicInteger turn = new AtomicInteger();
        Texts.boundaryLengths(
                text -> {
                    byte[] bytes = Wire.encoded(text);
                    for (CopyPath path : thinned(turn.getAndIncrement())) {
                        assertCopies(path, bytes, text.length() + 7);
                    }
                });
    }

    @Test
    void copiesNullAndEmpty() {
        for (CopyPath path : paths) {
            assertCopies(path, new byte[] {0}, 1);
            assertCopies(path, Wire.encoded(""), 1);
        }
    }

    /** Zero groups that a writer would not write are part of the value and arrive as they are. */
    @Test
    void copiesPaddedAndOverLongBytesAsTheyAre() {
        SplittableRandom random = new SplittableRandom(61);
        for (CopyPath path : paths) {
            for (int i = 0; i < 200; i++) {
                String text = Texts.any(random);
                int lengthBytes = 1 + random.nextInt(7);
                int most = 1 + random.nextInt(12);
                byte[] bytes = Wire.padded(text, lengthBytes, random, most);
                assertCopies(path, bytes, 1 + random.nextInt(200));
            }
        }
    }

    @Test
    void copiesOneValueAfterAnotherAtEveryOffset() throws IOException {
        SplittableRandom random = new SplittableRandom(62);
        for (CopyPath path : paths) {
            for (int offset = 0; offset <= 16; offset++) {
                byte[] first = Wire.encoded(Texts.any(random));
                byte[] second = Wire.encoded(Texts.any(random));
                byte[] bytes = new byte[offset + first.length + second.length + 9];
                random.nextBytes(bytes);
                System.arraycopy(first, 0, bytes, offset, first.length);
                System.arraycopy(second, 0, bytes, offset + first.length, second.length);
                int end = offset + first.length + second.length;
                Ends ends = path.open(patched, bytes, offset, end, 8);
                ends.copy();
                assertThat(ends.position()).as("%s", path).isEqualTo(offset + first.length);
                assertThat(ends.written()).as("%s", path).isEqualTo(first);
                ends.copy();
                assertThat(ends.position()).as("%s", path).isEqualTo(end);
                assertThat(ends.written())
                        .as("%s", path)
                        .isEqualTo(Arrays.copyOfRange(bytes, offset, end));
            }
        }
    }

    /** The array after any sequence is the one that stock would have: same bytes, same capacity. */
    @Test
    void growsTheTargetAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(63);
        for (CopyPath path : paths) {
            for (int round = 0; round < 60; round++) {
                int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
                Ends ours = path.open(patched, new byte[0], 0, 0, capacity);
                Ends stocks = path.open(stock, new byte[0], 0, 0, capacity);
                for (int i = 0; i < 1 + round % 6; i++) {
                    byte[] bytes = Wire.encoded(Texts.any(random));
                    for (Ends ends : new Ends[] {ours, stocks}) {
                        ends.reopen(bytes, 0, bytes.length);
                        ends.copy();
                    }
                    assertThat(ours.capacity()).as("%s", path).isEqualTo(stocks.capacity());
                }
                assertThat(ours.written()).as("%s", path).isEqualTo(stocks.written());
            }
        }
    }

    @Test
    void endsAsStockOnMalformedInput() {
        int turn = 0;
        for (byte[] bytes : MalformedValues.all()) {
            for (CopyPath path : thinned(turn++)) {
                assertSameAsStock(path, bytes, 0, bytes.length, 16);
            }
        }
    }

    /** What lies behind the end belongs to somebody else, whatever it is. */
    @Test
    void endsAsStockOnMalformedInputInsideLargerMemory() {
        SplittableRandom random = new SplittableRandom(64);
        int turn = 0;
        for (byte[] value : MalformedValues.all()) {
            byte[] bytes = new byte[value.length + 24];
            random.nextBytes(bytes);
            int start = random.nextInt(17);
            System.arraycopy(value, 0, bytes, start, value.length);
            for (CopyPath path : thinned(turn++)) {
                assertSameAsStock(path, bytes, start, start + value.length, 4096);
            }
        }
    }

    @Test
    void endsAsStockOnLengthsThatAreNotBackedByBytes() {
        for (int length : new int[] {2050, 2051, 16_384, 20_000, 1_000_000, Integer.MAX_VALUE}) {
            for (int present : new int[] {0, 100, 5000}) {
                byte[] bytes = MalformedValues.lie(length, present);
                for (CopyPath path : paths) {
                    assertSameAsStock(path, bytes, 0, bytes.length, 64);
                }
            }
        }
    }

    /** The check above can fail: other bytes give another outcome. */
    @Test
    void outcomesOfDifferentInputDiffer() {
        for (CopyPath path : paths) {
            List<Object> whole = outcome(patched, path, Wire.encoded("flink"), 0, 6, 16);
            List<Object> other = outcome(stock, path, Wire.encoded("flinK"), 0, 6, 16);
            byte[] cutOff = Arrays.copyOf(Wire.encoded("flink"), 5);
            List<Object> cut = outcome(stock, path, cutOff, 0, 5, 16);
            assertThat(whole).as("%s", path).isNotEqualTo(other).isNotEqualTo(cut);
        }
    }

    /** Handing everything to stock would pass the rest here. */
    @Test
    void wellFormedValuesAreNotHandedOver() throws IOException {
        String[] texts = {"", "a", "flink", "x".repeat(64), "x".repeat(5000), "\u6f22".repeat(90)};
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text);
            for (Input source : Input.values()) {
                for (Output target : Output.values()) {
                    patched.open(source, bytes, 0, bytes.length);
                    patched.open(target, 1);
                    // Stock's body is as good for a few bytes into a view that is not ours.
                    boolean fromArray =
                            source == Input.DESERIALIZER || source.name().endsWith("SEGMENT");
                    boolean ours = !fromArray || target == Output.SERIALIZER || bytes.length >= 8;
                    assertThat(StringValuePatch.copyString(patched.input(), patched.output()))
                            .as("%d bytes from %s to %s", bytes.length, source, target)
                            .isEqualTo(ours);
                }
            }
        }
    }

    /** A view that treats single bytes in its own way sees single bytes, as in stock. */
    @Test
    void bytesGoSinglyThroughViewsThatCareForThem() {
        SplittableRandom random = new SplittableRandom(65);
        Source deciphering = CopyPath.of(UserInput.DECIPHERING);
        Target ciphering =
                (codec, capacity) -> {
                    codec.open(UserOutput.CIPHERING, capacity);
                    return () -> Arrays.copyOf(codec.written(), codec.writtenLength());
                };
        List<CopyPath> some = new ArrayList<>();
        for (Input input : Input.values()) {
            some.add(new CopyPath(input + " to CIPHERING", CopyPath.of(input), ciphering));
        }
        for (Output output : Output.values()) {
            some.add(new CopyPath("DECIPHERING to " + output, deciphering, CopyPath.of(output)));
        }
        for (int i = 0; i < 500; i++) {
            byte[] bytes = Wire.encoded(Texts.any(random));
            // Two values, since a view that changes bytes may make the first one longer.
            byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
            System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
            for (CopyPath path : some) {
                assertSameAsStock(path, twice, 0, twice.length, 16);
            }
        }
    }

    /** From an array into itself, where a byte-by-byte copy repeats what it has just written. */
    @Test
    void copiesInsideOneArrayAsStock() throws IOException {
        List<byte[]> arrays = new ArrayList<>();
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(Output.SERIALIZER, 64);
            codec.writeString("twelve chars");
            byte[] array = codec.written();
            codec.moveOutputTo(4);
            codec.open(Input.DESERIALIZER, array, 0, 13);
            codec.copyString();
            arrays.add(array.clone());
        }
        assertThat(arrays.get(0)).isEqualTo(arrays.get(1));
    }

    /** Where {@code setPositionUnsafe} leaves an output, which looks at nothing. */
    @Test
    void failsAsStockInFrontOfTheOutput() {
        for (String text : new String[] {"", "a", "flink", "x".repeat(100)}) {
            byte[] bytes = Wire.encoded(text);
            List<List<Object>> ends = new ArrayList<>();
            for (Codec codec : new Codec[] {patched, stock}) {
                codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
                codec.open(Output.SERIALIZER, 200);
                codec.moveOutputTo(-1);
                Throwable end = catchThrowable(codec::copyString);
                assertThat(end).isInstanceOf(IndexOutOfBoundsException.class);
                ends.add(List.of(end.getClass(), codec.position(), codec.writtenLength()));
            }
            assertThat(ends.get(0)).isEqualTo(ends.get(1));
        }
    }

    @Test
    void failsAsStockWithoutViews() throws IOException {
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(Input.DESERIALIZER, Wire.encoded("flink"), 0, 6);
            codec.openPlain((DataOutput) null);
            assertThatThrownBy(codec::copyString).isInstanceOf(NullPointerException.class);
            assertThat(codec.position()).isEqualTo(1);
            codec.open(Output.SERIALIZER, 8);
            codec.release();
            assertThatThrownBy(codec::copyString).isInstanceOf(NullPointerException.class);
            codec.openPlain((DataInput) null);
            assertThatThrownBy(codec::copyString).isInstanceOf(NullPointerException.class);
        }
    }

    /** For long lists of inputs: the first path, and of the others each in its turn. */
    private List<CopyPath> thinned(int turn) {
        List<CopyPath> some = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            if (i == 0 || i % TURNS == turn % TURNS) {
                some.add(paths.get(i));
            }
        }
        return some;
    }

    private void assertCopies(CopyPath path, byte[] bytes, int capacity) {
        try {
            Ends ends = path.open(patched, bytes, 0, bytes.length, capacity);
            ends.copy();
            byte[] copied = ends.written();
            if (!Arrays.equals(copied, bytes) || ends.position() != bytes.length) {
                // The slow, telling form of the same assertion.
                assertThat(copied).as("%s", path).isEqualTo(bytes);
                assertThat(ends.position()).as("%s", path).isEqualTo(bytes.length);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertSameAsStock(CopyPath path, byte[] bytes, int start, int end, int capacity) {
        List<Object> ours = outcome(patched, path, bytes, start, end, capacity);
        List<Object> stocks = outcome(stock, path, bytes, start, end, capacity);
        if (!ours.equals(stocks)) {
            assertThat(ours)
                    .as("copying %s from %d to %d, %s", Wire.hex(bytes), start, end, path)
                    .isEqualTo(stocks);
        }
    }

    /** How a copy ended: the bytes copied, exception, position in the input, size of the output. */
    private static List<Object> outcome(
            Codec codec, CopyPath path, byte[] bytes, int start, int end, int capacity) {
        Ends ends = path.open(codec, bytes, start, end, capacity);
        String exception = "none";
        try {
            ends.copy();
        } catch (IOException | RuntimeException e) {
            exception = e.getClass().getName();
        }
        return List.of(
                ByteBuffer.wrap(ends.written()), exception, ends.position(), ends.capacity());
    }
}
