// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process outlives a job whose first string met the end of the stack. */
class FirstStringTest {

    @ParameterizedTest
    @ValueSource(strings = {"write", "read", "letter", "copy", "stream", "long"})
    void theEndOfTheStackAtTheFirstStringIsForgotten(String first) throws Exception {
        ForkedJvm.Result result = ForkedJvm.run(List.of("-Xss400k"), FirstStringProbe.class, first);
        assertThat(result.code).as(result.output).isZero();
        assertThat(result.answers())
                .as(result.output)
                .containsExactly(
                        "java.lang.StackOverflowError",
                        "write true",
                        "read true",
                        "letter true",
                        "copy true",
                        "stream true",
                        "long true");
    }
}
