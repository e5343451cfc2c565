// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.boost.strings.FlinkClasses;
import org.junit.jupiter.api.Test;

/** The patched classes of flink-runtime, of which each line has its own. */
class SegmentClassShapeTest extends ClassShapeContract {

    private static final String PACKAGE = "org.apache.flink.runtime.io.network.";

    @Override
    protected List<String> classes() {
        return Stream.of(
                        "api.serialization.NonSpanningWrapper",
                        "api.serialization.SpillingAdaptiveSpanningRecordDeserializer"
                                + "$NonSpanningWrapper",
                        "api.serialization.SpanningRecordSerializer",
                        "api.writer.RecordWriter",
                        "buffer.BufferBuilder",
                        "buffer.BufferBuilder$SettablePositionMarker")
                .map(name -> PACKAGE + name)
                .filter(SegmentClassShapeTest::isWoven)
                .collect(Collectors.toList());
    }

    /** So that a line whose classes have other names is not compared with nothing. */
    @Test
    void theViewOfARecordIsAmongThem() {
        assertThat(classes()).anyMatch(name -> name.endsWith("NonSpanningWrapper"));
        boolean framing = FlinkClasses.PATCHED.has("org.apache.flink.boost.network.BufferAppend");
        assertThat(classes()).hasSize(framing ? 5 : 1);
    }

    private static boolean isWoven(String name) {
        if (!FlinkClasses.PATCHED.has(name)) {
            return false;
        }
        Class<?> type = FlinkClasses.PATCHED.type(name);
        return Arrays.stream(type.getInterfaces())
                        .anyMatch(one -> one.getName().startsWith("org.apache.flink.boost."))
                || Arrays.stream(type.getDeclaredMethods())
                        .anyMatch(method -> method.getName().contains("$flinkBoostStock"));
    }
}
