// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.boost.records.shapes.StockBytes;
import org.junit.jupiter.api.Test;

/** Serializers that write, read or copy otherwise than our code does in their place are found. */
class StockBytesTest {

    @Test
    void thoseOfTheReleaseAreAsOurs() {
        assertThatCode(StockBytes::require).doesNotThrowAnyException();
        assertThatCode(() -> StockBytes.require(IntSerializer.INSTANCE, 7, 0, 0, 0, 7))
                .doesNotThrowAnyException();
    }

    @Test
    void otherBytesAreFound() {
        assertThatThrownBy(() -> StockBytes.require(IntSerializer.INSTANCE, 7, 7, 0, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(IntSerializer.class + " writes [0, 0, 0, 7]");
    }

    @Test
    void aValueThatIsReadAsAnotherIsFound() {
        assertThatThrownBy(() -> StockBytes.require(new GivingSerializer("other"), "x", 7))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(GivingSerializer.class + " reads other");
    }

    @Test
    void aCopyOfWhatIsImmutableIsFound() {
        String equal = new StringBuilder("x").toString();
        assertThatThrownBy(() -> StockBytes.require(new GivingSerializer(equal), "x", 7))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(GivingSerializer.class + " copies what is immutable");
        assertThatCode(() -> StockBytes.require(new GivingSerializer(equal), equal, 7))
                .doesNotThrowAnyException();
    }

    @Test
    void bytesForNullAreFound() {
        assertThatThrownBy(() -> StockBytes.requireNoNull(new GivingSerializer("x")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(GivingSerializer.class + " writes null");
        assertThatCode(() -> StockBytes.requireNoNull(IntSerializer.INSTANCE))
                .doesNotThrowAnyException();
    }
}
