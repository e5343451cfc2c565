// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Codec.UserInput;
import org.apache.flink.boost.sidebyside.Codec.UserOutput;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a view that users derive from Flink's sees of a string: the calls that stock makes, in the
 * same order and with the same arguments. Only one that overrides the methods for single bytes
 * <em>and</em> those for arrays sees arrays where stock sends bytes.
 */
class ViewCallsTest {

    /** One way to use the open view; gives what was read. */
    private interface Use {
        Object on(Codec codec) throws IOException;
    }

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(
            value = UserOutput.class,
            names = {"COUNTING_WRITE", "COUNTING_BYTES", "COUNTING_ARRAYS"})
    void anOutputSeesTheCallsOfStock(UserOutput view) throws IOException {
        for (String text : texts()) {
            for (Use use : writes(text)) {
                String ours = calls(patched, view, use);
                String stocks = calls(stock, view, use);
                if (!ours.equals(stocks)) {
                    assertThat(ours).as(text).isEqualTo(stocks);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = UserInput.class,
            names = {"COUNTING_BYTES", "COUNTING_ARRAYS"})
    void anInputSeesTheCallsOfStock(UserInput view) throws IOException {
        for (String text : texts()) {
            for (Use use : reads()) {
                for (int added = 0; added < 2; added++) {
                    byte[] bytes = Wire.encoded(text, added);
                    // One byte less too: the calls up to the end, and not one more.
                    for (int end = bytes.length; end >= bytes.length - 1; end--) {
                        String ours = calls(patched, view, bytes, end, use);
                        String stocks = calls(stock, view, bytes, end, use);
                        if (!ours.equals(stocks)) {
                            assertThat(ours).as(text).isEqualTo(stocks);
                        }
                    }
                }
            }
        }
    }

    /** The difference that stays: fewer calls, the same bytes. */
    @Test
    void anOutputThatOverridesAllSeesArrays() throws IOException {
        String text = "long enough for an array";
        Use write = writes(text).get(0);
        String ours = calls(patched, UserOutput.COUNTING_ALL, write);
        String stocks = calls(stock, UserOutput.COUNTING_ALL, write);

        assertThat(stocks).contains("write " + (text.length() + 1)).doesNotContain("write of");
        if (BoostMode.ENABLED) {
            assertThat(ours).startsWith("[write of " + (text.length() + 1) + "]; ");
        } else {
            assertThat(ours).isEqualTo(stocks);
        }
        assertThat(ours.substring(ours.indexOf("; ")))
                .isEqualTo(stocks.substring(stocks.indexOf("; ")));
    }

    /** The record of calls is not empty where stock makes some, so that it can differ. */
    @Test
    void callsAreRemembered() throws IOException {
        assertThat(calls(stock, UserOutput.COUNTING_WRITE, writes("flink").get(0)))
                .startsWith("[write 6, write 102, ");
        byte[] bytes = Wire.encoded("ab");
        assertThat(calls(stock, UserInput.COUNTING_BYTES, bytes, bytes.length, reads().get(0)))
                .startsWith("[readUnsignedByte, readUnsignedByte, readUnsignedByte]; ab");
    }

    private static List<String> texts() {
        SplittableRandom random = new SplittableRandom(74);
        List<String> texts = new ArrayList<>();
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length : new int[] {0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 200, 2100}) {
                texts.add(kind.text(random, length));
            }
        }
        return texts;
    }

    private static List<Use> writes(String text) throws IOException {
        byte[] value = Wire.encoded(text);
        return List.of(
                codec -> {
                    codec.writeString(text);
                    return null;
                },
                codec -> {
                    codec.open(Input.DESERIALIZER, value, 0, value.length);
                    codec.copyString();
                    return null;
                });
    }

    private static List<Use> reads() {
        return List.of(
                Codec::readString,
                codec -> {
                    codec.open(Output.SERIALIZER, 8);
                    codec.copyString();
                    return null;
                });
    }

    private static String calls(Codec codec, UserOutput view, Use use) throws IOException {
        codec.open(view, 16);
        use.on(codec);
        byte[] array = codec.written();
        return codec.outputCalls()
                + "; "
                + array.length
                + " "
                + Wire.hex(Arrays.copyOf(array, codec.writtenLength()));
    }

    private static String calls(Codec codec, UserInput view, byte[] bytes, int end, Use use) {
        codec.open(view, bytes, 0, end);
        String read;
        try {
            read = String.valueOf(use.on(codec));
        } catch (IOException | RuntimeException e) {
            read = e.getClass().getName();
        }
        return codec.inputCalls() + "; " + read + " " + codec.position();
    }
}
