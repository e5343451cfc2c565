// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.flink.boost.fuzz.StringCodecFuzz;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Operation;
import org.apache.flink.boost.sidebyside.Outcome;
import org.apache.flink.boost.sidebyside.Sides;

/** Properties over arbitrary strings; jqwik shrinks what breaks them. */
class StringCodecPropertyTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    @Property
    void whatPatchedWritesStockReadsAndTheOtherWayRound(
            @ForAll @Size(max = 20) List<String> texts,
            @ForAll @IntRange(min = 1, max = 64) int room)
            throws IOException {
        byte[] bytes = written(patched, texts, room);
        assertThat(bytes).isEqualTo(written(stock, texts, room));
        for (Codec codec : new Codec[] {patched, stock}) {
            codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
            for (String text : texts) {
                assertThat(codec.readString()).isEqualTo(text);
            }
        }
    }

    /** Strings that we build are found among those that the JDK builds: same coder, same hash. */
    @Property
    void stringsThatWeBuildAreTheJdksOwn(@ForAll @Size(min = 1, max = 20) List<String> texts)
            throws IOException {
        Map<String, Integer> built = new HashMap<>();
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text);
            patched.open(Input.DESERIALIZER, bytes, 0, bytes.length);
            built.put(patched.readString(), text.length());
        }
        for (String text : texts) {
            assertThat(built).containsEntry(new String(text.toCharArray()), text.length());
        }
        assertThat(built).hasSize((int) texts.stream().distinct().count());
    }

    /** Lengths for which stock has hardly the memory are left to a test of their own. */
    @Property
    void anyBytesEndAsInStock(@ForAll @Size(max = 60) byte[] bytes) {
        Assume.that(StringCodecFuzz.claims(bytes, 0) <= StringCodecFuzz.MOST_CHARACTERS);
        assertThat(read(patched, bytes)).isEqualTo(read(stock, bytes));
    }

    private static Outcome read(Codec codec, byte[] bytes) {
        codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
        codec.open(Output.SERIALIZER, 1);
        return Outcome.of(codec, Operation.READ_STRING);
    }

    private static byte[] written(Codec codec, List<String> texts, int room) throws IOException {
        codec.open(Output.SERIALIZER, room);
        for (String text : texts) {
            codec.writeString(text);
        }
        return Arrays.copyOf(codec.written(), codec.writtenLength());
    }
}
