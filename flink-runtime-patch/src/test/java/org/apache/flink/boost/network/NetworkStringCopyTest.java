// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.StringCopyContract;
import org.apache.flink.boost.strings.TransferViews;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.strings.TransferViews.Target;
import org.apache.flink.boost.strings.Wire;
import org.apache.flink.boost.woven.StringValuePatch;
import org.junit.jupiter.api.Test;

/** Copying from network buffers and between memory in pages. */
class NetworkStringCopyTest extends StringCopyContract {

    @Override
    protected List<Source> sources() {
        return NetworkViews.sources();
    }

    @Override
    protected List<Source> plainSources() {
        return List.of();
    }

    @Override
    protected List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.add(TransferViews.targets().get(0));
        targets.addAll(NetworkViews.targets());
        return targets;
    }

    @Override
    protected List<Target> plainTargets() {
        return List.of();
    }

    /** Handing everything to stock would pass the contract. */
    @Test
    void wellFormedValuesAreNotHandedOver() throws IOException {
        String[] texts = {"", "a", "flink", "x".repeat(64), "x".repeat(5000), "\u6f22".repeat(90)};
        for (Source source : NetworkViews.segments()) {
            for (String text : texts) {
                byte[] bytes = Wire.encoded(text);
                DataInput in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length).view();
                DataOutput out = FlinkClasses.PATCHED.newOutput(1);
                assertThat(StringValuePatch.copyString(in, out)).isTrue();
            }
        }
    }
}
