// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.woven.StringValueInstancePatch;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Reading {@code StringValue} objects from the views of flink-core and users' own. */
class StringValueReadTest extends StringValueReadContract {

    @Override
    protected List<Source> sources() {
        return TransferViews.sources();
    }

    /** Handing everything to stock would pass the contract. */
    @Test
    void wellFormedValuesAreNotHandedOver() throws IOException {
        for (String text :
                new String[] {"", "a", "flink", "\u00e9\u0416\u6f22", "x".repeat(5000)}) {
            byte[] bytes = Wire.encoded(text, 0);
            for (Source source : sources()) {
                StringValue value = new StringValue();
                DataInput in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length).view();
                assertThat(StringValueInstancePatch.read(value, (DataInputView) in)).isTrue();
                assertThat(value.getValue()).isEqualTo(text);
            }
        }
    }

    /** A view that treats single bytes in its own way sees single bytes, as in stock. */
    @Test
    void bytesAreReadSinglyFromViewsThatCareForThem() throws IOException {
        SplittableRandom random = new SplittableRandom(84);
        for (int i = 0; i < 1000; i++) {
            byte[] bytes = Wire.encoded(Texts.any(random), 0);
            assertSameAsStock(TransferViews.tamperingSource(), bytes, 0);
        }
    }

    /** More characters than stock's array is allocated for at once. */
    @Test
    void readsVeryLongText() throws IOException {
        int length = 5 * LongText.AT_ONCE + 12_345;
        List<String> texts = new ArrayList<>();
        texts.add("a".repeat(length));
        texts.add("a\u0416\u6f22".repeat(length / 3));
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text, 0);
            for (Source source : new Source[] {TransferViews.ARRAY, TransferViews.STREAM}) {
                StringValue value = new StringValue("before");
                DataInput in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length).view();
                value.read((DataInputView) in);
                assertThat(value.getValue().equals(text)).isTrue();
                assertThat(value.getCharArray()).hasSize(text.length());
            }
        }
    }

    @Test
    void failsAsStockWithoutAView() {
        assertThatThrownBy(() -> new StringValue().read(null))
                .isInstanceOf(NullPointerException.class);
    }
}
