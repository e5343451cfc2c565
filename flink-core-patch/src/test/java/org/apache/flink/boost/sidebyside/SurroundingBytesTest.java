// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Writing and copying into a {@code DataOutputSerializer} changes the bytes of the value and no
 * other byte of the array, as by stock: a serializer may come back by {@code setPosition} to a slot
 * that it left, and what follows the slot is already there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SurroundingBytesTest {

    private static final int ROUNDS = 6000;

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    /** What puts a text into the open output. */
    private interface Way {
        void put(Codec codec, String text) throws IOException;
    }

    @Test
    void writingAStringTouchesNoOtherByte() throws IOException {
        assertTouchesNothingElse(Codec::writeString);
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void copyingTouchesNoOtherByte(Input view) throws IOException {
        for (Operation operation : Operation.values()) {
            if (operation.isCopy()) {
                assertTouchesNothingElse(
                        (codec, text) -> {
                            byte[] bytes = Wire.encoded(text);
                            codec.open(view, bytes, 0, bytes.length);
                            operation.on(codec);
                        });
            }
        }
    }

    /** The check bites: a byte behind the value that changes is found out. */
    @Test
    void aByteBehindTheValueThatChangesIsFoundOut() {
        assertThatThrownBy(
                        () ->
                                assertTouchesNothingElse(
                                        (codec, text) -> {
                                            codec.writeString(text);
                                            boolean room =
                                                    codec.writtenLength() < codec.written().length;
                                            if (codec == patched && room) {
                                                codec.written()[codec.writtenLength()] ^= 1;
                                            }
                                        }))
                .isInstanceOf(AssertionError.class);
    }

    private void assertTouchesNothingElse(Way way) throws IOException {
        SplittableRandom random = new SplittableRandom(72);
        CodeUnits[] kinds = CodeUnits.values();
        for (int round = 0; round < ROUNDS; round++) {
            String text =
                    round < 70 * kinds.length
                            ? kinds[round % kinds.length].text(random, round / kinds.length)
                            : Texts.any(random);
            int before = random.nextInt(20);
            // Mostly room enough; sometimes the array has to grow on the way.
            int room = Wire.encoded(text).length + random.nextInt(40) - 4;
            byte[] canary = new byte[before + Math.max(room, 1)];
            random.nextBytes(canary);
            byte[] ours = array(patched, way, text, before, canary);
            byte[] stocks = array(stock, way, text, before, canary);
            if (patched.writtenLength() != stock.writtenLength() || !Arrays.equals(ours, stocks)) {
                assertThat(Wire.hex(ours))
                        .as("array behind \"%s\" from %d on", text, before)
                        .isEqualTo(Wire.hex(stocks));
                assertThat(patched.writtenLength()).isEqualTo(stock.writtenLength());
            }
        }
    }

    /** The whole array after the text was put behind some bytes, over the canary. */
    private static byte[] array(Codec codec, Way way, String text, int before, byte[] canary)
            throws IOException {
        codec.open(Output.SERIALIZER, canary.length);
        System.arraycopy(canary, 0, codec.written(), 0, canary.length);
        for (int i = 0; i < before; i++) {
            codec.writeString(null);
        }
        way.put(codec, text);
        return codec.written();
    }
}
