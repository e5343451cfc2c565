// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.ObjectStreamClass;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * {@code write}, {@code read} and {@code copy} of {@code StringValue} objects, whose length field
 * is the plain length (no null), and the static {@code copyString}: as stock's, in both directions.
 */
class StringValueInstanceTest {

    private static final FlinkClasses[] SIDES = {FlinkClasses.PATCHED, FlinkClasses.STOCK};

    @Test
    void instanceMethodsWriteThePlainLength() throws IOException {
        SplittableRandom random = new SplittableRandom(51);
        for (int i = 0; i < 4000; i++) {
            String text = i == 0 ? "" : Texts.any(random);
            byte[] patched = written(FlinkClasses.PATCHED, text);
            assertThat(patched).isEqualTo(written(FlinkClasses.STOCK, text));
            // One less than what the static method writes, in the first byte of a short text.
            if (text.length() < 127) {
                assertThat(patched[0]).isEqualTo((byte) text.length());
                assertThat(Wire.encoded(text)[0]).isEqualTo((byte) (text.length() + 1));
            }
        }
    }

    @Test
    void instancesAreReadAndCopiedAcrossSides() throws IOException {
        SplittableRandom random = new SplittableRandom(52);
        for (int i = 0; i < 2000; i++) {
            String text = Texts.any(random);
            byte[] bytes = written(FlinkClasses.STOCK, text);
            for (FlinkClasses side : SIDES) {
                Object value = side.newStringValue("to be overwritten");
                side.invoke(value, "read", side.newInput(bytes, 0, bytes.length));
                assertThat(value).hasToString(text);
                DataOutput out = side.newOutput(16);
                side.invoke(value, "copy", side.newInput(bytes, 0, bytes.length), out);
                assertThat(bytes(out)).isEqualTo(bytes);
            }
        }
    }

    @Test
    void copyStringPassesEveryByteThrough() throws IOException {
        SplittableRandom random = new SplittableRandom(53);
        for (int i = 0; i < 4000; i++) {
            String text = Texts.any(random);
            byte[] bytes =
                    random.nextBoolean()
                            ? Wire.encoded(text)
                            : Wire.padded(text, 1 + random.nextInt(5), random, 4);
            DataInput in = FlinkClasses.PATCHED.newInput(bytes, 0, bytes.length);
            DataOutput out = FlinkClasses.PATCHED.newOutput(16);
            FlinkClasses.PATCHED.copyString(in, out);
            assertThat(bytes(out)).isEqualTo(bytes);
        }
    }

    @Test
    void keepsTheSerialVersion() {
        long[] versions =
                Arrays.stream(SIDES)
                        .map(side -> side.type("org.apache.flink.types.StringValue"))
                        .mapToLong(type -> ObjectStreamClass.lookup(type).getSerialVersionUID())
                        .toArray();
        assertThat(versions[0]).isEqualTo(versions[1]);
    }

    private static byte[] written(FlinkClasses side, String text) throws IOException {
        DataOutput out = side.newOutput(16);
        side.invoke(side.newStringValue(text), "write", out);
        return bytes(out);
    }

    private static byte[] bytes(DataOutput out) {
        return Arrays.copyOf(
                (byte[]) FlinkClasses.field(out, "buffer"),
                (int) FlinkClasses.field(out, "position"));
    }
}
