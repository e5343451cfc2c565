// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A string that was read, and one that was written, has no more of a hash code than with stock: it
 * is computed when somebody asks, not before, and never copied from a string of ours that was asked
 * earlier.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnhashedStringTest {

    private static final Object UNSAFE = unsafe();
    private static final Method UNSAFE_INT = unsafe("getInt", Object.class, long.class);
    private static final Method UNSAFE_BOOLEAN = unsafe("getBoolean", Object.class, long.class);
    private static final Method UNSAFE_OFFSET = unsafe("objectFieldOffset", Field.class);

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @ParameterizedTest
    @EnumSource(Input.class)
    void aStringThatWasReadIsAsUnhashedAsStocks(Input view) throws IOException {
        SplittableRandom random = new SplittableRandom(73);
        for (int unit = 0; unit < 0x180; unit++) {
            assertUnhashed(view, String.valueOf((char) unit));
        }
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length : new int[] {0, 2, 7, 8, 16, 17, 33, 64, 100, 2048, 2049}) {
                assertUnhashed(view, kind.text(random, length));
            }
        }
    }

    /** Reading looks at the text, and writing at its bytes; neither asks for the hash code. */
    @Test
    void aStringThatWasWrittenIsAsUnhashedAsBefore() throws IOException {
        for (Output output : Output.values()) {
            for (String text : new String[] {"", "a", "flink", "caf\u00e9", "\u6f22".repeat(90)}) {
                String fresh = new String(text.toCharArray());
                patched.open(output, 8);
                patched.writeString(fresh);
                assertThat(hashState(fresh)).as("%s to %s", text, output).isEqualTo("0 false");
            }
        }
    }

    /** The state can be seen: asking for the hash code changes it, for the text with hash 0 too. */
    @Test
    void aStringThatWasAskedIsToldFromOneThatWasNot() {
        String fresh = new String("flink".toCharArray());
        String before = hashState(fresh);
        assertThat(fresh.hashCode()).isNotZero();
        assertThat(hashState(fresh)).isNotEqualTo(before);
        assertThat(before).isEqualTo("0 false");
    }

    private void assertUnhashed(Input view, String text) throws IOException {
        byte[] bytes = Wire.encoded(text);
        for (int round = 0; round < 2; round++) {
            String ours = read(patched, view, bytes);
            String stocks = read(stock, view, bytes);
            if (!hashState(ours).equals(hashState(stocks))) {
                assertThat(hashState(ours)).as(Wire.hex(bytes)).isEqualTo(hashState(stocks));
            }
            // The next read must not see that this one was asked.
            assertThat(ours.hashCode()).isEqualTo(stocks.hashCode());
        }
    }

    private static String read(Codec codec, Input view, byte[] bytes) throws IOException {
        codec.open(view, bytes, 0, bytes.length);
        return codec.readString();
    }

    /** The cached hash code, and whether it is known to be 0 where the JDK keeps that. */
    private static String hashState(String string) {
        try {
            Object hash = UNSAFE_INT.invoke(UNSAFE, string, offset("hash"));
            // JDK 11 computes the hash code again where it is 0.
            Object isZero =
                    Runtime.version().feature() > 11
                            ? UNSAFE_BOOLEAN.invoke(UNSAFE, string, offset("hashIsZero"))
                            : false;
            return hash + " " + isZero;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Object offset(String field) throws ReflectiveOperationException {
        return UNSAFE_OFFSET.invoke(UNSAFE, String.class.getDeclaredField(field));
    }

    /** Works whether {@code java.lang} is opened or not. */
    private static Object unsafe() {
        try {
            Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Method unsafe(String name, Class<?>... parameters) {
        try {
            return UNSAFE.getClass().getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
