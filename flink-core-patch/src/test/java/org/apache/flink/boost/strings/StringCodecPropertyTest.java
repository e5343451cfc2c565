// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.DataOutput;
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

/** Properties over arbitrary strings; jqwik shrinks what breaks them. */
class StringCodecPropertyTest {

    @Property
    void whatPatchedWritesStockReadsAndTheOtherWayRound(
            @ForAll @Size(max = 20) List<String> texts,
            @ForAll @IntRange(min = 1, max = 64) int room)
            throws IOException {
        DataOutput patched = FlinkClasses.PATCHED.newOutput(room);
        DataOutput stock = FlinkClasses.STOCK.newOutput(room);
        for (String text : texts) {
            FlinkClasses.PATCHED.writeString(text, patched);
            FlinkClasses.STOCK.writeString(text, stock);
        }
        byte[] bytes = bytes(patched);
        assertThat(bytes).isEqualTo(bytes(stock));
        DataInput patchedIn = FlinkClasses.PATCHED.newInput(bytes, 0, bytes.length);
        DataInput stockIn = FlinkClasses.STOCK.newInput(bytes, 0, bytes.length);
        for (String text : texts) {
            assertThat(FlinkClasses.PATCHED.readString(patchedIn)).isEqualTo(text);
            assertThat(FlinkClasses.STOCK.readString(stockIn)).isEqualTo(text);
        }
    }

    /** Strings that we build are found among those that the JDK builds: same coder, same hash. */
    @Property
    void stringsThatWeBuildAreTheJdksOwn(@ForAll @Size(min = 1, max = 20) List<String> texts)
            throws IOException {
        Map<String, Integer> built = new HashMap<>();
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text);
            built.put(
                    FlinkClasses.PATCHED.readString(
                            FlinkClasses.PATCHED.newInput(bytes, 0, bytes.length)),
                    text.length());
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
        new ArrayStringReadTest().assertSameAsStock(bytes, 0, bytes.length);
    }

    private static byte[] bytes(DataOutput out) {
        return Arrays.copyOf(
                (byte[]) FlinkClasses.field(out, "buffer"),
                (int) FlinkClasses.field(out, "position"));
    }
}
