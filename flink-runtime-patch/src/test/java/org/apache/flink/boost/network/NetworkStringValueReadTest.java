// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.IOException;
import java.util.List;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.StringValueReadContract;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.strings.Wire;
import org.apache.flink.boost.woven.StringValueInstancePatch;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Reading {@code StringValue} objects from network buffers and from memory in pages. */
class NetworkStringValueReadTest extends StringValueReadContract {

    @Override
    protected List<Source> sources() {
        return NetworkViews.sources();
    }

    /** Memory in pages is left to stock's body, see {@code BulkTransfer}. */
    @Override
    protected List<Source> sourcesOfOurs() {
        return NetworkViews.segments();
    }

    /** Handing everything to stock would pass the contract. */
    @Test
    void wellFormedValuesAreNotHandedOver() throws IOException {
        for (String text :
                new String[] {"", "a", "flink", "\u00e9\u0416\u6f22", "x".repeat(5000)}) {
            byte[] bytes = Wire.encoded(text, 0);
            for (Source source : sourcesOfOurs()) {
                StringValue value = new StringValue();
                DataInput in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length).view();
                assertThat(StringValueInstancePatch.read(value, (DataInputView) in)).isTrue();
                assertThat(value.getValue()).isEqualTo(text);
            }
        }
    }
}
