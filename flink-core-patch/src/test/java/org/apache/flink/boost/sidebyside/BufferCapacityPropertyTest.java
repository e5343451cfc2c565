// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;

/**
 * A serializer keeps the array that it has grown to for life: after any sequence of operations ours
 * has written the same bytes, and its array is as long as stock's.
 */
class BufferCapacityPropertyTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @Property
    void theArrayIsAsLongAsStocks(
            @ForAll @IntRange(min = 1, max = 200) int capacity,
            @ForAll("steps") @Size(max = 25) List<Step> steps)
            throws IOException {
        patched.open(Output.SERIALIZER, capacity);
        stock.open(Output.SERIALIZER, capacity);
        for (Step step : steps) {
            step.on(patched);
            step.on(stock);
            assertThat(patched.writtenLength()).isEqualTo(stock.writtenLength());
            assertThat(patched.written().length).isEqualTo(stock.written().length);
            assertThat(Arrays.copyOf(patched.written(), patched.writtenLength()))
                    .isEqualTo(Arrays.copyOf(stock.written(), stock.writtenLength()));
        }
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<String> texts =
                Arbitraries.oneOf(
                        Arbitraries.strings().ascii().ofMaxLength(300),
                        Arbitraries.strings().withCharRange('\u0080', '\u00ff').ofMaxLength(300),
                        Arbitraries.strings().withCharRange('\u0400', '\u04ff').ofMaxLength(300),
                        Arbitraries.strings().withCharRange('\u4e00', '\u9fff').ofMaxLength(300),
                        Arbitraries.strings().all().ofMaxLength(60));
        return Combinators.combine(Arbitraries.of(Kind.class), texts)
                .as(Step::new)
                .list()
                .ofMaxSize(25);
    }

    private enum Kind {
        STRING,
        SEQUENCE,
        NULL,
        COPY,
        CLEAR
    }

    /** Something that writes to the open serializer, or empties it. */
    private static final class Step {

        private static final Codec ENCODER = Sides.stock();

        private final Kind kind;
        private final String text;

        Step(Kind kind, String text) {
            this.kind = kind;
            this.text = text;
        }

        void on(Codec codec) throws IOException {
            switch (kind) {
                case STRING:
                    codec.writeString(text);
                    break;
                case SEQUENCE:
                    codec.writeString(new StringBuilder(text));
                    break;
                case NULL:
                    codec.writeString(null);
                    break;
                case COPY:
                    codec.open(Input.DESERIALIZER, encoded(), 0, encoded().length);
                    codec.copyString();
                    break;
                default:
                    codec.clear();
            }
        }

        private byte[] encoded() {
            try {
                ENCODER.open(Output.SERIALIZER, 16);
                ENCODER.writeString(text);
                return Arrays.copyOf(ENCODER.written(), ENCODER.writtenLength());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String toString() {
            return kind + " of \"" + text + '"';
        }
    }
}
