// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.apache.flink.boost.strings.ForkedJvm;
import org.junit.jupiter.api.Test;

/** The switch for a whole process that has records of Kryo only. */
class KryoCheckedProcessTest {

    /** Kryo 2 looks into the JDK's lists. */
    private static final List<String> CHECKED =
            List.of("-Dflink.boost.records=check", "--add-opens=java.base/java.util=ALL-UNNAMED");

    @Test
    void randomRecordsAreCheckedAndEqual() throws Exception {
        String seed = Long.toString(new Random().nextLong());
        ForkedJvm.Result result = ForkedJvm.run(CHECKED, KryoCheckedProbe.class, seed);
        assertThat(result.code).as("seed %s: %s", seed, result.output).isZero();
        assertThat(result.answers())
                .as("seed %s", seed)
                .singleElement()
                .asString()
                .matches("checked [1-9][0-9]* records of .*Node \\(Kryo\\): equal.*");
    }

    @Test
    void whatFailsByOursAloneIsADifferenceAndWhatFailsByBothEndsAsByStock() throws Exception {
        ForkedJvm.Result result = ForkedJvm.run(CHECKED, KryoFailingProbe.class);
        assertThat(result.answers())
                .as(result.output)
                .containsExactly("true 0", "true 0", "as by stock", "differing 1");
    }
}
