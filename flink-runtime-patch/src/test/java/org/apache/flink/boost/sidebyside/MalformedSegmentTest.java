// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.EnumSet;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The views of flink-runtime on memory segments. */
class MalformedSegmentTest extends MalformedInputContract {

    @Override
    protected Collection<Input> views() {
        return EnumSet.of(Input.HEAP_SEGMENT, Input.OFF_HEAP_SEGMENT, Input.PAGES);
    }

    /** Never an access to memory that belongs to somebody else by now. */
    @ParameterizedTest
    @EnumSource(
            value = Input.class,
            names = {"HEAP_SEGMENT", "OFF_HEAP_SEGMENT"})
    void endsAsStockOnAFreedSegment(Input view) {
        for (Operation operation : Operation.values()) {
            assertThat(ofFreed(Sides.patched(), view, operation))
                    .as("%s from %s", operation, view)
                    .isEqualTo(ofFreed(Sides.stock(), view, operation))
                    .extracting(outcome -> outcome.exception)
                    .isNotNull();
        }
    }

    private static Outcome ofFreed(Codec codec, Input view, Operation operation) {
        codec.open(view, new byte[] {4, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0}, 0, 4);
        codec.open(Output.SERIALIZER, 16);
        codec.free();
        return Outcome.of(codec, operation);
    }
}
