// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.strings.CodeUnits;
import org.apache.flink.boost.strings.Wire;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two reads never give the same object, as stock's never do. Kryo (with references, as Flink sets
 * it up) and Java serialization write an object that comes again as a reference to the first one,
 * so that a reader which shares strings changes the bytes of a key made of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StringIdentityTest {

    /** How often a text is read. */
    private static final int READS = 3;

    private final Codec patched = Sides.patched();

    @ParameterizedTest
    @EnumSource(Input.class)
    void everyReadOfEveryCodeUnitAloneGivesANewObject(Input view) throws IOException {
        for (int unit = 0; unit <= 0xFFFF; unit++) {
            assertNewObjects(patched, view, String.valueOf((char) unit));
        }
    }

    @ParameterizedTest
    @EnumSource(Input.class)
    void everyReadOfEveryKindAndLengthGivesANewObject(Input view) throws IOException {
        SplittableRandom random = new SplittableRandom(71);
        for (CodeUnits kind : CodeUnits.values()) {
            for (int length = 0; length <= 70; length++) {
                assertNewObjects(patched, view, kind.text(random, length));
            }
            for (int length : new int[] {127, 255, 2048, 2049, 5000}) {
                assertNewObjects(patched, view, kind.text(random, length));
            }
        }
    }

    /** The check bites: each text is found out when the codec shares it. */
    @ParameterizedTest
    @EnumSource(Input.class)
    void aCodecThatSharesStringsIsFoundOut(Input view) {
        for (String text : new String[] {"", "Y", "\u00e9", "\u6f22", "ab"}) {
            Codec sharing = sharing(patched);
            assertThatThrownBy(() -> assertNewObjects(sharing, view, text))
                    .as(text)
                    .isInstanceOf(AssertionError.class);
        }
    }

    private static void assertNewObjects(Codec codec, Input view, String text) throws IOException {
        byte[] bytes = Wire.encoded(text);
        String literal = text.intern();
        String[] read = new String[READS];
        for (int i = 0; i < READS; i++) {
            codec.open(view, bytes, 0, bytes.length);
            read[i] = codec.readString();
            for (int k = 0; k < i; k++) {
                if (read[k] == read[i]) {
                    throw new AssertionError("read " + k + " and " + i + " of " + Wire.hex(bytes));
                }
            }
            if (read[i] == literal) {
                throw new AssertionError("the literal of " + Wire.hex(bytes));
            }
        }
    }

    /** As the codec, but equal strings that it reads are one object. */
    private static Codec sharing(Codec codec) {
        return (Codec)
                Proxy.newProxyInstance(
                        StringIdentityTest.class.getClassLoader(),
                        new Class<?>[] {Codec.class},
                        (proxy, method, arguments) -> {
                            try {
                                Object result = method.invoke(codec, arguments);
                                return result instanceof String
                                        ? ((String) result).intern()
                                        : result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
