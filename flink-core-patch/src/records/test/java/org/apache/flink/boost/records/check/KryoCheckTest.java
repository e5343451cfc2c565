// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.flink.boost.strings.ForkedJvm;
import org.junit.jupiter.api.Test;

/** What Kryo reads for a check is not read by the input that is to be checked. */
class KryoCheckTest {

    @Test
    void stocksRunsReadByStocksInput() throws Exception {
        ForkedJvm.Result checked =
                ForkedJvm.run(List.of("-Dflink.boost.records=check"), KryoCheckProbe.class);
        assertThat(checked.answers())
                .as(checked.output)
                .containsExactly(
                        "[one, null, three] by LookAheadInput",
                        "[one, null, three] by NoFetchingInput",
                        "[one, null, three] by LookAheadInput",
                        "[one, null, three] by NoFetchingInput",
                        "left 0");
    }
}
