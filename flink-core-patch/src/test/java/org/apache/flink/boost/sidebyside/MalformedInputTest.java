// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Input that no writer writes, and views that are not in a state to be read: patched ends as stock
 * does on the same line. What stock does is not written down anywhere, it is asked, in the same
 * JVM.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MalformedInputTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockAtEveryByte(Input view) {
        assertSameAsStock(view, MalformedValues.cut());
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnEveryLengthField(Input view) {
        assertSameAsStock(view, MalformedValues.lengthFields());
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsPaddedAndOverlongCharactersAsStock(Input view) {
        assertSameAsStock(view, MalformedValues.overlongCharacters());
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnDamagedValues(Input view) {
        assertSameAsStock(view, MalformedValues.damaged());
    }

    /**
     * Stock allocates what the field says; where it has no memory for that, ours must end as stock
     * does on a length that it has memory for and that is not backed by bytes either.
     */
    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnLengthsThatAreNotBackedByBytes(Input view) {
        List<byte[]> bodies = MalformedValues.bodies();
        for (byte[] body : bodies) {
            byte[] huge = MalformedValues.value(20_000, 5, body);
            assertEndsAsIfModest(view, huge, MalformedValues.value(3000, 5, body));
        }
        // Memory that stock does not have takes it long to find out: two bodies are enough.
        for (byte[] body : List.of(bodies.get(0), bodies.get(bodies.size() - 1))) {
            for (int length : new int[] {1 << 20, Integer.MAX_VALUE - 1}) {
                byte[] huge = MalformedValues.value(length, 5, body);
                assertEndsAsIfModest(view, huge, MalformedValues.value(3000, 5, body));
            }
            // In nine bytes the last group comes to bit 24, in five to bit 28.
            for (int size : new int[] {5, 9}) {
                byte[] huge = MalformedValues.wrapped(size, 0x06, body);
                assertEndsAsIfModest(view, huge, MalformedValues.value(3000, size, body));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockAtItsLimit(Input view) {
        byte[] bytes = {3, 'a', 'b', 2, 'c'};
        for (int start = 0; start <= bytes.length; start++) {
            for (int end = start; end <= bytes.length; end++) {
                for (Operation operation : Operation.values()) {
                    assertSameAsStock(view, operation, bytes, start, end);
                }
            }
        }
    }

    /** Of pages nothing can be closed. */
    @ParameterizedTest
    @EnumSource(value = Input.class, mode = EnumSource.Mode.EXCLUDE, names = "PAGES")
    void endsAsStockWhenTheViewIsReleased(Input view) {
        for (Operation operation : Operation.values()) {
            assertSame(
                    view,
                    operation + " from a released " + view,
                    codec -> {
                        codec.release();
                        return operation.on(codec);
                    });
        }
    }

    /** Never an access to memory that belongs to somebody else by now. */
    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT", "SLICED_SEGMENT", "PAGES"})
    void endsAsStockOnFreedSegments(Input view) {
        for (Operation operation : Operation.values()) {
            assertThat(ofFreed(patched, view, operation))
                    .as("%s from %s", operation, view)
                    .isEqualTo(ofFreed(stock, view, operation))
                    .extracting(outcome -> outcome.exception)
                    .isNotNull();
        }
    }

    private static Outcome ofFreed(Codec codec, Input view, Operation operation) {
        codec.open(view, new byte[] {4, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0}, 0, 4);
        codec.open(Output.SERIALIZER, 16);
        codec.free();
        return Outcome.of(codec, operation);
    }

    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {
                "DESERIALIZER",
                "DERIVED",
                "HEAP_SEGMENT",
                "OFF_HEAP_SEGMENT",
                "SLICED_SEGMENT"
            })
    void endsAsStockAtAnyPosition(Input view) {
        int[] positions = {Integer.MIN_VALUE, -1, 1, 8, 9, 10, 15, 16, 17, 1000, Integer.MAX_VALUE};
        for (int position : positions) {
            for (Operation operation : Operation.values()) {
                assertSame(
                        view,
                        operation + " from " + view + " at position " + position,
                        codec -> {
                            codec.moveTo(position);
                            return operation.on(codec);
                        });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void endsAsStockOnNull(Input view) {
        assertSame(view, "readString(null)", Codec::readFromNull);
        for (CharSequence text : new CharSequence[] {null, "", "flink", new StringBuilder("x")}) {
            assertSame(
                    view,
                    "writeString(" + text + ", null)",
                    codec -> {
                        codec.writeToNull(text);
                        return null;
                    });
        }
        for (boolean nullInput : new boolean[] {true, false}) {
            assertSame(
                    view,
                    "copyString, input null: " + nullInput,
                    codec -> {
                        codec.copyWithNull(nullInput);
                        return null;
                    });
        }
    }

    /** The comparison can fail: other bytes, another end, another position give other outcomes. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void differentInputGivesDifferentOutcomes(Input view) {
        byte[] bytes = {4, 'a', 'b', 'c', 'd'};
        byte[] other = {4, 'a', 'B', 'c', 'd'};
        byte[] padded = {4, 'a', 'b', (byte) 0xE3, 0, 'd'};
        byte[] cut = {4, 'a', 'b'};
        for (Operation operation : Operation.values()) {
            Outcome outcome = outcome(patched, view, operation, bytes, 0, 5);
            assertThat(outcome).isEqualTo(outcome(stock, view, operation, bytes, 0, 5));
            assertThat(outcome).isNotEqualTo(outcome(stock, view, operation, other, 0, 5));
            assertThat(outcome).isNotEqualTo(outcome(stock, view, operation, padded, 0, 6));
            assertThat(outcome).isNotEqualTo(outcome(stock, view, operation, cut, 0, 3));
        }
    }

    private void assertEndsAsIfModest(Input view, byte[] huge, byte[] modest) {
        for (Operation operation : Operation.values()) {
            Outcome patchedEnd = outcome(patched, view, operation, huge, 0, huge.length);
            Outcome stockEnd = outcome(stock, view, operation, huge, 0, huge.length);
            if (stockEnd.isOutOfMemory() && !patchedEnd.isOutOfMemory()) {
                stockEnd = outcome(stock, view, operation, modest, 0, modest.length);
            }
            assertThat(patchedEnd)
                    .as("%s from %s of %s", operation, view, Wire.hex(huge))
                    .isEqualTo(stockEnd);
        }
    }

    /** On a thread of its own: an exception costs by the depth of the stack, JUnit's is deep. */
    private void assertSameAsStock(Input view, List<byte[]> values) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        new Thread(
                        () -> {
                            try {
                                compare(view, values);
                                done.complete(null);
                            } catch (Throwable e) {
                                done.completeExceptionally(e);
                            }
                        })
                .start();
        try {
            done.join();
        } catch (CompletionException e) {
            throw new AssertionError(e.getCause().getMessage(), e.getCause());
        }
    }

    private void compare(Input view, List<byte[]> values) {
        for (int i = 0; i < values.size(); i++) {
            byte[] bytes = values.get(i);
            byte[] embedded = new byte[bytes.length + 24];
            Arrays.fill(embedded, (byte) 0x81);
            System.arraycopy(bytes, 0, embedded, 7, bytes.length);
            for (Operation operation : Operation.values()) {
                if (!operation.isBySerializer() || i % 8 == 0) {
                    assertSameAsStock(view, operation, bytes, 0, bytes.length);
                    assertSameAsStock(view, operation, embedded, 7, 7 + bytes.length);
                }
            }
        }
    }

    private void assertSameAsStock(
            Input view, Operation operation, byte[] bytes, int start, int end) {
        Outcome patchedEnd = outcome(patched, view, operation, bytes, start, end);
        Outcome stockEnd = outcome(stock, view, operation, bytes, start, end);
        if (!patchedEnd.equals(stockEnd)) {
            assertThat(patchedEnd)
                    .as(
                            "%s from %s of %s from %d to %d",
                            operation, view, Wire.hex(bytes), start, end)
                    .isEqualTo(stockEnd);
        }
    }

    /** On a view of a value that is sound. */
    private void assertSame(Input view, String what, Outcome.Action action) {
        List<Outcome> ends = new ArrayList<>();
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(view, new byte[] {8, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 1, 'x'}, 0, 9);
            codec.open(Output.SERIALIZER, 4);
            ends.add(Outcome.of(codec, action));
        }
        assertThat(ends.get(0)).as(what).isEqualTo(ends.get(1));
    }

    private static Outcome outcome(
            Codec codec, Input view, Operation operation, byte[] bytes, int start, int end) {
        codec.open(view, bytes, start, end);
        codec.open(bytes.length % 3 == 0 ? Output.STREAM : Output.SERIALIZER, 4);
        return Outcome.of(codec, operation);
    }
}
