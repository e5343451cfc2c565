// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.boost.strings.TransferViews.Input;
import org.apache.flink.boost.strings.TransferViews.Output;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.strings.TransferViews.Target;
import org.junit.jupiter.api.Test;

/**
 * What copying an encoded string must do, from every source to every target: the same bytes,
 * exceptions and positions on both views as stock's classes in the same JVM.
 */
public abstract class StringCopyContract {

    /** One combination. */
    private static final class Path {

        private final Source source;
        private final Target target;

        Path(Source source, Target target) {
            this.source = source;
            this.target = target;
        }
    }

    /** Sources that are a {@code DataInputView}. */
    protected abstract List<Source> sources();

    /** Sources that are only a {@code DataInput}. */
    protected abstract List<Source> plainSources();

    /** Targets that are a {@code DataOutputView}. */
    protected abstract List<Target> targets();

    /** Targets that are only a {@code DataOutput}. */
    protected abstract List<Target> plainTargets();

    @Test
    void copiesAllKindsAtBoundaryLengths() {
        List<Path> paths = paths();
        AtomicInteger turn = new AtomicInteger();
        Texts.boundaryLengths(
                text -> {
                    byte[] bytes = Wire.encoded(text);
                    for (Path path : thinned(paths, turn.getAndIncrement())) {
                        assertCopies(path, bytes, text.length() + 7);
                    }
                });
    }

    @Test
    void copiesNullAndEmpty() {
        for (Path path : paths()) {
            assertCopies(path, new byte[] {0}, 1);
            assertCopies(path, Wire.encoded(""), 1);
        }
    }

    /** Zero groups that a writer would not write are part of the value and arrive as they are. */
    @Test
    void copiesPaddedAndOverLongBytesAsTheyAre() {
        SplittableRandom random = new SplittableRandom(61);
        for (Path path : paths()) {
            for (int i = 0; i < 400; i++) {
                String text = Texts.any(random);
                int lengthBytes = 1 + random.nextInt(7);
                int most = 1 + random.nextInt(12);
                byte[] bytes = Wire.padded(text, 1, lengthBytes, random, most);
                assertCopies(path, bytes, 1 + random.nextInt(200));
            }
        }
    }

    @Test
    void copiesOneValueAfterAnotherAtEveryOffset() throws IOException {
        SplittableRandom random = new SplittableRandom(62);
        for (Path path : paths()) {
            for (int offset = 0; offset <= 16; offset++) {
                byte[] first = Wire.encoded(Texts.any(random));
                byte[] second = Wire.encoded(Texts.any(random));
                byte[] bytes = new byte[offset + first.length + second.length + 9];
                random.nextBytes(bytes);
                System.arraycopy(first, 0, bytes, offset, first.length);
                System.arraycopy(second, 0, bytes, offset + first.length, second.length);
                int end = offset + first.length + second.length;
                Input in = path.source.open(FlinkClasses.PATCHED, bytes, offset, end);
                Output out = path.target.open(FlinkClasses.PATCHED, 8);
                FlinkClasses.PATCHED.copyString(in.view(), out.view());
                assertThat(in.position().getAsInt()).isEqualTo(offset + first.length);
                assertThat(out.bytes().get()).isEqualTo(first);
                FlinkClasses.PATCHED.copyString(in.view(), out.view());
                assertThat(in.position().getAsInt()).isEqualTo(end);
                assertThat(out.bytes().get()).isEqualTo(Arrays.copyOfRange(bytes, offset, end));
            }
        }
    }

    /** The array after any sequence is the one that stock would have: same bytes, same capacity. */
    @Test
    void growsTheTargetAsStock() throws IOException {
        SplittableRandom random = new SplittableRandom(63);
        for (Path path : paths()) {
            for (int round = 0; round < 60; round++) {
                int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 3000);
                Output patched = path.target.open(FlinkClasses.PATCHED, capacity);
                Output stock = path.target.open(FlinkClasses.STOCK, capacity);
                for (int i = 0; i < 1 + round % 6; i++) {
                    byte[] bytes = Wire.encoded(Texts.any(random));
                    Input in = path.source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
                    FlinkClasses.PATCHED.copyString(in.view(), patched.view());
                    Input same = path.source.open(FlinkClasses.STOCK, bytes, 0, bytes.length);
                    FlinkClasses.STOCK.copyString(same.view(), stock.view());
                    assertThat(patched.capacity().getAsInt())
                            .isEqualTo(stock.capacity().getAsInt());
                }
                assertThat(patched.bytes().get()).isEqualTo(stock.bytes().get());
            }
        }
    }

    @Test
    void endsAsStockOnMalformedInput() throws IOException {
        List<Path> paths = paths();
        int turn = 0;
        for (byte[] bytes : Wire.malformed(1)) {
            for (Path path : thinned(paths, turn++)) {
                assertSameAsStock(path, bytes, 0, bytes.length, 16);
            }
        }
    }

    /** What lies behind the end belongs to somebody else, whatever it is. */
    @Test
    void endsAsStockOnMalformedInputInsideLargerMemory() throws IOException {
        SplittableRandom random = new SplittableRandom(64);
        List<Path> paths = paths();
        int turn = 0;
        for (byte[] value : Wire.malformed(1)) {
            byte[] bytes = new byte[value.length + 24];
            random.nextBytes(bytes);
            int start = random.nextInt(17);
            System.arraycopy(value, 0, bytes, start, value.length);
            for (Path path : thinned(paths, turn++)) {
                assertSameAsStock(path, bytes, start, start + value.length, 4096);
            }
        }
    }

    @Test
    void endsAsStockOnLengthsThatAreNotBackedByBytes() throws IOException {
        List<byte[]> lies = new ArrayList<>(Wire.hugeLengths());
        lies.add(Wire.lie(Integer.MAX_VALUE, 5000));
        lies.add(Wire.lie(Integer.MAX_VALUE, 0));
        for (Path path : paths()) {
            for (byte[] bytes : lies) {
                assertSameAsStock(path, bytes, 0, bytes.length, 64);
            }
        }
    }

    /** The check above can fail: other bytes give another outcome. */
    @Test
    void outcomesOfDifferentInputDiffer() throws IOException {
        Path path = paths().get(0);
        List<Object> whole = outcome(FlinkClasses.PATCHED, path, Wire.encoded("flink"), 0, 6, 16);
        List<Object> other = outcome(FlinkClasses.STOCK, path, Wire.encoded("flinK"), 0, 6, 16);
        byte[] cutOff = Arrays.copyOf(Wire.encoded("flink"), 5);
        List<Object> cut = outcome(FlinkClasses.STOCK, path, cutOff, 0, 5, 16);
        assertThat(whole).isNotEqualTo(other).isNotEqualTo(cut);
    }

    private List<Path> paths() {
        List<Path> paths = new ArrayList<>();
        List<Source> sources = new ArrayList<>(sources());
        sources.addAll(plainSources());
        List<Target> targets = new ArrayList<>(targets());
        targets.addAll(plainTargets());
        for (Source source : sources) {
            for (Target target : targets) {
                paths.add(new Path(source, target));
            }
        }
        return paths;
    }

    /** For long lists of inputs: the first path, and of the others each in its turn. */
    private static List<Path> thinned(List<Path> paths, int turn) {
        List<Path> some = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            if (i == 0 || i % 3 == turn % 3) {
                some.add(paths.get(i));
            }
        }
        return some;
    }

    /** Holds a copy between these views to stock's. */
    final void assertSameAsStock(Source source, Target target, String text) throws IOException {
        byte[] bytes = Wire.encoded(text);
        // Two values, since a view that changes bytes may make the first one longer.
        byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
        System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
        assertSameAsStock(new Path(source, target), twice, 0, twice.length, 16);
    }

    private static void assertCopies(Path path, byte[] bytes, int capacity) {
        try {
            Input in = path.source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
            Output out = path.target.open(FlinkClasses.PATCHED, capacity);
            FlinkClasses.PATCHED.copyString(in.view(), out.view());
            byte[] copied = out.bytes().get();
            if (!Arrays.equals(copied, bytes) || in.position().getAsInt() != bytes.length) {
                // The slow, telling form of the same assertion.
                assertThat(copied).isEqualTo(bytes);
                assertThat(in.position().getAsInt()).isEqualTo(bytes.length);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertSameAsStock(Path path, byte[] bytes, int start, int end, int capacity)
            throws IOException {
        List<Object> patched = outcome(FlinkClasses.PATCHED, path, bytes, start, end, capacity);
        List<Object> stock = outcome(FlinkClasses.STOCK, path, bytes, start, end, capacity);
        if (!patched.equals(stock)) {
            assertThat(patched)
                    .as("copying %s from %d to %d", Wire.hex(bytes), start, end)
                    .isEqualTo(stock);
        }
    }

    /** How a copy ended: the bytes copied, exception, position in the input, size of the output. */
    private static List<Object> outcome(
            FlinkClasses flink, Path path, byte[] bytes, int start, int end, int capacity)
            throws IOException {
        Input in = path.source.open(flink, bytes, start, end);
        Output out = path.target.open(flink, capacity);
        String exception = null;
        try {
            flink.copyString(in.view(), out.view());
        } catch (IOException | RuntimeException e) {
            exception = e.getClass().getName();
        }
        return Arrays.asList(
                Wire.hex(out.bytes().get()),
                exception,
                in.position().getAsInt(),
                out.capacity().getAsInt());
    }
}
