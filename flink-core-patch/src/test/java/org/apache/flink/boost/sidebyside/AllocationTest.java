// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the codec allocates: never more than stock, whatever view, kind, length and mode; on Flink's
 * own views with a look into strings the resulting string and nothing else; and for a length field
 * that lies no more than the bytes that are there, and a chunk.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AllocationTest {

    private static final int[] LENGTHS = {
        0, 1, 4, 7, 8, 16, 32, 63, 64, 128, 256, 512, 1024, 2048, 2049, 16384
    };

    /** An exception with its trace, and what the view itself needs. */
    private static final long LITTLE = 16 << 10;

    /**
     * What is allocated without any proof where bytes come through a foreign view: 2^20 characters.
     * In smaller steps an honest string would cost more than stock's.
     */
    private static final long CHUNK = 2 << 20;

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    /** Holds what the meter measures. */
    private String kept;

    @ParameterizedTest
    @EnumSource(Input.class)
    void readsCopiesAndWritesWithoutMoreThanStock(Input view) {
        for (Map.Entry<String, String> entry : texts().entrySet()) {
            byte[] bytes = encoded(entry.getValue());
            for (Operation operation : Operation.values()) {
                assertThat(allocated(patched, view, operation, bytes))
                        .as("bytes of %s from %s, %s", operation, view, entry.getKey())
                        .isLessThanOrEqualTo(allocated(stock, view, operation, bytes));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void writesWithoutMoreThanStock(Input view) {
        Output output = view == Input.STREAM ? Output.STREAM : Output.SERIALIZER;
        for (Map.Entry<String, String> entry : texts().entrySet()) {
            String text = entry.getValue();
            assertThat(allocatedByWriting(patched, output, text))
                    .as("bytes of writeString to %s, %s", output, entry.getKey())
                    .isLessThanOrEqualTo(allocatedByWriting(stock, output, text));
        }
    }

    /** The string itself is all: no temporary, and no more array than its characters need. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void readsNothingButTheStringOnOwnViews(Input view) {
        for (Map.Entry<String, String> entry : texts().entrySet()) {
            byte[] bytes = encoded(entry.getValue());
            long read = allocated(patched, view, Operation.READ_STRING, bytes);
            if (isOwn(view) && isOpenedAndOn()) {
                assertThat(read)
                        .as("bytes of readString from %s, %s", view, entry.getKey())
                        .isLessThanOrEqualTo(Allocation.ofString(entry.getValue()));
            } else {
                assertThat(read).isNotNegative();
            }
        }
    }

    /** Their bytes are shared, with or without a look into strings; the object is not. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void singleCharactersOfLatin1CostTheObjectAlone(Input view) {
        long object = Allocation.ofEach(50, () -> {}, () -> kept = new String("a"));
        assertThat(object).isPositive();
        for (char c : new char[] {0, 'a', 0x7F, 0x80, '\u00e9', 0xFF, 0x100, '\u6f22'}) {
            byte[] bytes = encoded(String.valueOf(c));
            long read = allocated(patched, view, Operation.READ_STRING, bytes);
            boolean shared = BoostMode.ENABLED && c <= 0xFF;
            assertThat(read == object).as("U+%04X from %s", (int) c, view).isEqualTo(shared);
            assertThat(read).isGreaterThanOrEqualTo(object);
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void aLengthThatLiesCostsNoMemory(Input view) {
        boolean ofOurs = BoostMode.ENABLED;
        for (Operation operation : Operation.values()) {
            for (byte[] body : MalformedValues.bodies()) {
                for (int length : new int[] {3 << 20, 32 << 20}) {
                    byte[] bytes = MalformedValues.value(length, 5, body);
                    long ours = allocatedByFailing(patched, view, operation, bytes);
                    boolean inSight = isOwn(view);
                    long most = LITTLE + 3L * bytes.length + (inSight ? 0 : CHUNK);
                    if (ofOurs) {
                        assertThat(ours)
                                .as("%s from %s of length %d", operation, view, length)
                                .isLessThanOrEqualTo(most);
                    }
                    if (!operation.isCopy()) {
                        // The check bites: stock, and ours switched off, allocate what it says.
                        assertThat(allocatedByFailing(stock, view, operation, bytes))
                                .isGreaterThan(most);
                        assertThat(ours > most).isEqualTo(!ofOurs);
                    }
                }
            }
        }
    }

    /** Stock keeps an array per thread on newer lines; a new thread shows it. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void theFirstReadOfAThreadCostsNoMoreThanTheNext(Input view) {
        String text = "read by a thread that never read";
        byte[] bytes = encoded(text);
        long next = allocated(patched, view, Operation.READ_STRING, bytes);
        long first =
                onNewThread(
                        () -> {
                            patched.open(view, bytes, 0, bytes.length);
                            long before = Allocation.allocated();
                            patched.readString();
                            return Allocation.allocated() - before;
                        });
        if (isOwn(view) && isOpenedAndOn()) {
            assertThat(first).isEqualTo(next);
        } else {
            assertThat(first).isGreaterThanOrEqualTo(next);
        }
    }

    @Test
    void aThreadLocalIsSeenInTheFirstCallOfAThread() {
        ThreadLocal<char[]> kept = ThreadLocal.withInitial(() -> new char[2048]);
        long first =
                onNewThread(
                        () -> {
                            long before = Allocation.allocated();
                            kept.get();
                            return Allocation.allocated() - before;
                        });
        assertThat(first).isGreaterThan(4096);
    }

    /** A reader that allocates a little is seen, so the comparisons above can fail. */
    @Test
    void theMeterSeesEveryByte() {
        Object[] kept = new Object[1];
        long nothing = Allocation.ofEach(50, () -> {}, () -> {});
        long small = Allocation.ofEach(50, () -> {}, () -> kept[0] = new byte[1]);
        long large = Allocation.ofEach(50, () -> {}, () -> kept[0] = new byte[100_001]);
        assertThat(nothing).isZero();
        assertThat(small).isBetween(16L, 32L);
        assertThat(large).isBetween(100_001L, 100_032L);
        String text = "x".repeat(1000);
        assertThat(Allocation.ofString(text)).isBetween(1000L, 2100L);
        assertThat(Allocation.ofString("\u0416".repeat(1000))).isBetween(2000L, 2100L);
    }

    /** Every kind at every length. */
    private static Map<String, String> texts() {
        String[][] units = {
            {"ASCII", "a"},
            {"Latin-1", "a\u00e9"},
            {"Latin-1 letters", "\u00e9"},
            {"Cyrillic", "\u0416"},
            {"CJK", "\u6f22"},
            {"emoji", "\ud83d\ude00"},
            {"mixed", "ascii \u0416\u6f22"}
        };
        Map<String, String> texts = new LinkedHashMap<>();
        for (String[] unit : units) {
            for (int length : LENGTHS) {
                String text = unit[1].repeat(length / unit[1].length() + 1).substring(0, length);
                texts.put(unit[0] + " " + length, text);
            }
        }
        return texts;
    }

    private static boolean isOwn(Input view) {
        return view == Input.DESERIALIZER
                || view == Input.HEAP_SEGMENT
                || view == Input.OFF_HEAP_SEGMENT;
    }

    private static boolean isOpenedAndOn() {
        return BoostMode.ENABLED && StringAccess.describe().startsWith("string access opened");
    }

    private byte[] encoded(String text) {
        try {
            stock.open(Output.SERIALIZER, 16);
            stock.writeString(text);
            return Arrays.copyOf(stock.written(), stock.writtenLength());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Into outputs that have grown already, from a view that was just opened. */
    private static long allocated(Codec codec, Input view, Operation operation, byte[] bytes) {
        codec.open(Output.SERIALIZER, bytes.length + 8);
        return Allocation.ofEach(
                bytes.length < 1000 ? 100 : 20,
                () -> {
                    codec.clear();
                    codec.open(view, bytes, 0, bytes.length);
                },
                () -> operation.on(codec));
    }

    private static long allocatedByWriting(Codec codec, Output output, String text) {
        codec.open(output, 3 * text.length() + 8);
        return Allocation.ofEach(
                text.length() < 1000 ? 100 : 20, codec::clear, () -> codec.writeString(text));
    }

    private static long allocatedByFailing(
            Codec codec, Input view, Operation operation, byte[] bytes) {
        return onNewThread(
                () ->
                        Allocation.ofEach(
                                2,
                                () -> {
                                    codec.open(Output.SERIALIZER, 256);
                                    codec.open(view, bytes, 0, bytes.length);
                                },
                                () -> Outcome.of(codec, operation)));
    }

    /** The size of an exception depends on the depth of the stack, which is JUnit's otherwise. */
    private static long onNewThread(Callable<Long> measure) {
        FutureTask<Long> task = new FutureTask<>(measure);
        new Thread(task).start();
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
