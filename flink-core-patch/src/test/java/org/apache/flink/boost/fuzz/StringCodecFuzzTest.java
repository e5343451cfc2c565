// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.fuzz;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;
import org.junit.jupiter.api.Test;

/** A short run of the fuzz target without a fuzzer, and the proof that it finds something. */
class StringCodecFuzzTest {

    private static final byte[][] SEEDS = {
        {0, 6, 'f', 'l', 'i', 'n', 'k'},
        {9, 3, (byte) 0x96, 0x08, (byte) 0xA2, (byte) 0xDE, 1},
        {3, (byte) 0x82, 0, 'a'},
        {0x47, 12, 'a', 'b', 'c', (byte) 0xE9, 1, 'd', 'e', 'f', 'g', (byte) 0x96, 8, 'h', 'i'},
        {1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x0F, 'x'}
    };

    @Test
    void mutatedValuesEndAsInStock() {
        SplittableRandom random = new SplittableRandom(91);
        for (int i = 0; i < 4000; i++) {
            byte[] data = SEEDS[random.nextInt(SEEDS.length)].clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                data[random.nextInt(data.length)] = (byte) random.nextInt();
            }
            StringCodecFuzz.fuzzerTestOneInput(data);
        }
    }

    @Test
    void aDifferenceIsAFinding() {
        Codec patched = Sides.patched();
        // Stock on both sides agrees; a side whose bytes are others does not.
        StringCodecFuzz.compare(Sides.stock(), Sides.stock(), SEEDS[0]);
        assertThatThrownBy(
                        () ->
                                StringCodecFuzz.compare(
                                        new ShiftedCodec(patched).codec(), Sides.stock(), SEEDS[0]))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("READ_STRING from DESERIALIZER");
    }

    /** A codec whose strings are not what was written. */
    private static final class ShiftedCodec {

        private final Codec codec;

        ShiftedCodec(Codec sound) {
            codec =
                    (Codec)
                            java.lang.reflect.Proxy.newProxyInstance(
                                    ShiftedCodec.class.getClassLoader(),
                                    new Class<?>[] {Codec.class},
                                    (proxy, method, arguments) -> {
                                        Object result = method.invoke(sound, arguments);
                                        return method.getName().equals("readString")
                                                ? result + "!"
                                                : result;
                                    });
        }

        Codec codec() {
            return codec;
        }
    }
}
