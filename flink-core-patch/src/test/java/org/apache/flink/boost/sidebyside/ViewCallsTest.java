// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.TextKind;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a view that users derive from Flink's sees of a string: the calls that stock makes, in the
 * same order and with the same arguments. Only one that overrides the methods for single bytes
 * <em>and</em> those for arrays sees arrays where stock sends bytes.
 */
class ViewCallsTest {

    private static final String VIEWS = "org.apache.flink.boost.strings.UserCountingViews$";

    /** One way to use a view; gives what was read. */
    private interface Use {
        Object on(FlinkClasses flink, Object view) throws IOException;
    }

    @ParameterizedTest
    @ValueSource(strings = {"Output", "ByteOutput", "ArraysOutput"})
    void anOutputSeesTheCallsOfStock(String type) throws IOException {
        for (String text : texts()) {
            for (Use use : writes(text)) {
                String ours = calls(FlinkClasses.PATCHED, type, use);
                String stocks = calls(FlinkClasses.STOCK, type, use);
                if (!ours.equals(stocks)) {
                    assertThat(ours).as(text).isEqualTo(stocks);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Input", "ArraysInput"})
    void anInputSeesTheCallsOfStock(String type) throws IOException {
        for (String text : texts()) {
            for (Use use : reads()) {
                for (int added = 0; added < 2; added++) {
                    byte[] bytes = Wire.encoded(text, added);
                    // One byte less too: the calls up to the end, and not one more.
                    for (int end = bytes.length; end >= bytes.length - 1; end--) {
                        String ours = calls(FlinkClasses.PATCHED, type, bytes, end, use);
                        String stocks = calls(FlinkClasses.STOCK, type, bytes, end, use);
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
        String ours = calls(FlinkClasses.PATCHED, "AllOutput", write);
        String stocks = calls(FlinkClasses.STOCK, "AllOutput", write);

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
        assertThat(calls(FlinkClasses.STOCK, "Output", writes("flink").get(0)))
                .startsWith("[write 6, write 102, ");
        byte[] bytes = Wire.encoded("ab");
        assertThat(calls(FlinkClasses.STOCK, "Input", bytes, bytes.length, reads().get(0)))
                .startsWith("[readUnsignedByte, readUnsignedByte, readUnsignedByte]; ab");
    }

    private static List<String> texts() {
        SplittableRandom random = new SplittableRandom(74);
        List<String> texts = new ArrayList<>();
        for (TextKind kind : TextKind.values()) {
            for (int length : new int[] {0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 200, 2100}) {
                texts.add(kind.text(random, length));
            }
        }
        return texts;
    }

    private static List<Use> writes(String text) throws IOException {
        byte[] value = Wire.encoded(text);
        return List.of(
                (flink, out) -> {
                    flink.writeString(text, (DataOutput) out);
                    return null;
                },
                (flink, out) -> {
                    flink.copyString(flink.newInput(value, 0, value.length), (DataOutput) out);
                    return null;
                });
    }

    private static List<Use> reads() {
        return List.of(
                (flink, in) -> flink.readString((DataInput) in),
                (flink, in) -> {
                    flink.copyString((DataInput) in, flink.newOutput(8));
                    return null;
                });
    }

    private static String calls(FlinkClasses flink, String type, Use use) throws IOException {
        Object out = flink.create(VIEWS + type, 16);
        use.on(flink, out);
        int length = (int) flink.invoke(out, "length");
        byte[] array = (byte[]) flink.invoke(out, "getSharedBuffer");
        return flink.invoke(out, "calls")
                + "; "
                + array.length
                + " "
                + Wire.hex(Arrays.copyOf(array, length));
    }

    private static String calls(FlinkClasses flink, String type, byte[] bytes, int end, Use use)
            throws IOException {
        Object in = flink.create(VIEWS + type, bytes, 0, end);
        String read;
        try {
            read = String.valueOf(use.on(flink, in));
        } catch (IOException | RuntimeException e) {
            read = e.getClass().getName();
        }
        return flink.invoke(in, "calls") + "; " + read + " " + FlinkClasses.field(in, "position");
    }
}
