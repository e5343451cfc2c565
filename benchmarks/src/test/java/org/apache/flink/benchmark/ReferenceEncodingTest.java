// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReferenceEncodingTest {

    @ParameterizedTest
    @EnumSource
    void bytesAreFlinks(TextKind kind) throws IOException {
        Random random = new Random(9);
        for (int length : new int[] {0, 1, 16, 126, 127, 128, 2049, 16_382, 16_383, 16_384}) {
            String text = kind.draw(length, random);
            DataOutputSerializer output = new DataOutputSerializer(1);
            StringValue.writeString(text, output);
            assertThat(ReferenceEncoding.encode(text)).isEqualTo(output.getCopyOfBuffer());
            assertThat(
                            StringValue.readString(
                                    new DataInputDeserializer(ReferenceEncoding.encode(text))))
                    .isEqualTo(text);
        }
    }
}
