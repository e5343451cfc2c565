// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The array of a {@code DataOutputSerializer} cannot grow, or only by less than double: exception,
 * message, position, length of the array and the bytes before the position are stock's.
 */
class GrowthFailureTest {

    private static final List<String> SMALL_HEAP = List.of("-Xms64m", "-Xmx64m", "-Xmn16m");

    @Test
    void failsAsStockWhereThereIsNoMemory() throws Exception {
        List<String> answers = assertSameAsStock(40 << 20);
        assertThat(answers).allMatch(answer -> answer.contains("java.io.IOException"));
        // Bytes are written up to the end of the array before it has to grow.
        assertThat(answers).allMatch(answer -> answer.contains(" position " + (40 << 20)));
    }

    /**
     * Stock tries one byte more where double is too much. 1.9 keeps its first array as well, so
     * that there it comes one byte further and no more.
     */
    @Test
    void growsByTheByteWhereStockDoes() throws Exception {
        int capacity = 18 << 20;
        List<String> answers = assertSameAsStock(capacity);
        assertThat(answers)
                .allMatch(
                        answer -> {
                            int grown =
                                    Integer.parseInt(
                                            answer.replaceFirst(".* length (\\d+) .*", "$1"));
                            return grown > capacity && grown < capacity + 10;
                        });
    }

    /** With memory enough the array is doubled, so that the two above do bite. */
    @Test
    void doublesWhereThereIsMemory() throws Exception {
        List<String> answers = assertSameAsStock(4 << 20);
        assertThat(answers).allMatch(answer -> answer.contains(" fits length " + (8 << 20)));
    }

    private static List<String> assertSameAsStock(int capacity) throws Exception {
        List<String> ours = run("patched", capacity);
        assertThat(ours).isEqualTo(run("stock", capacity)).hasSize(6);
        return ours;
    }

    private static List<String> run(String side, int capacity) throws Exception {
        ForkedJvm.Result result =
                ForkedJvm.run(SMALL_HEAP, GrowthProbe.class, side, String.valueOf(capacity), "3");
        assertThat(result.code).as(result.output).isZero();
        return result.answers();
    }
}
