// SPDX-License-Identifier: Apache-2.0
package probes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Passes on both sides; loads the woven classes. */
class PassingTest {

    @Test
    void stringSurvives() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(16);
        StringValue.writeString("probe", out);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        assertEquals("probe", StringValue.readString(in));
    }

    @Test
    @Disabled("shows that a test which Flink skips is counted as skipped")
    void skipped() {}
}
