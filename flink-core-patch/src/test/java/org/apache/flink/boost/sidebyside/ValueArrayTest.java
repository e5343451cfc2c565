// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.Texts;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The array of a {@code StringValue}, which {@code getCharArray} hands out: the same object as
 * before where stock keeps it, another one where stock takes another one, after a read that fails
 * too; and writing leaves it alone.
 */
class ValueArrayTest {

    private static final int ROUNDS = 3000;

    static Set<Input> views() {
        return EnumSet.of(Input.DESERIALIZER, Input.STREAM, Input.SLOW_STREAM, Input.FOREIGN);
    }

    @ParameterizedTest
    @MethodSource("views")
    void theArrayIsKeptOrReplacedAsByStock(Input view) {
        SplittableRandom random = new SplittableRandom(79);
        Codec patched = Sides.patched();
        Codec stock = Sides.stock();
        int kept = 0;
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 20 == 0) {
                patched.newValue();
                stock.newValue();
            }
            byte[] bytes = Wire.encoded(Texts.any(random), 0);
            int end = round % 5 == 0 ? random.nextInt(bytes.length) : bytes.length;
            boolean ours = isKept(patched, view, bytes, end);
            assertThat(ours).as(Wire.hex(bytes)).isEqualTo(isKept(stock, view, bytes, end));
            assertThat(array(patched)).isEqualTo(array(stock));
            kept += ours ? 1 : 0;
        }
        // Both ways were taken, so that one that is always taken is found out.
        assertThat(kept).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 20);
    }

    @Test
    void writingLeavesTheArrayAndTheHashCodeAlone() throws IOException {
        FlinkClasses flink = FlinkClasses.PATCHED;
        String wrapper = "org.apache.flink.core.memory.DataOutputViewStreamWrapper";
        Object[] outputs = {flink.newOutput(8), flink.create(wrapper, new ByteSink())};
        for (Object out : outputs) {
            Object value = flink.newStringValue("caf\u00e9 and \u6f22");
            char[] array = (char[]) FlinkClasses.field(value, "value");
            char[] before = array.clone();
            FlinkClasses.setField(value, "hashCode", 42);
            flink.invoke(value, "write", out);

            assertThat(FlinkClasses.field(value, "value")).isSameAs(array);
            assertThat(array).isEqualTo(before);
            assertThat(FlinkClasses.field(value, "hashCode")).isEqualTo(42);
        }
    }

    private static boolean isKept(Codec codec, Input view, byte[] bytes, int end) {
        char[] before = array(codec);
        codec.open(view, bytes, 0, end);
        try {
            codec.readValue();
            assertThat(end).isEqualTo(bytes.length);
        } catch (IOException e) {
            assertThat(end).isLessThan(bytes.length);
        }
        return array(codec) == before;
    }

    private static char[] array(Codec codec) {
        return (char[]) FlinkClasses.field(codec.value(), "value");
    }
}
