// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.flink.boost.strings.ForkedJvm;
import org.junit.jupiter.api.Test;

/** The switch for a whole process. */
class CheckedProcessTest {

    private static final String SEED = Long.toString(new Random().nextLong());

    private static List<String> answers(String... options) throws Exception {
        ForkedJvm.Result result = ForkedJvm.run(List.of(options), CheckedProbe.class, SEED);
        assertThat(result.code).as("seed %s: %s", SEED, result.output).isZero();
        return result.answers();
    }

    private static List<String> of(List<String> answers, String kind) {
        return answers.stream()
                .filter(each -> each.startsWith(kind))
                .map(each -> each.substring(kind.length() + 1))
                .collect(Collectors.toList());
    }

    /** No record of any kind is told to differ; the bean and the property have the classes. */
    @Test
    void randomRecordsAreCheckedAndEqual() throws Exception {
        List<String> answers = answers("-Dflink.boost.records=check");
        assertThat(of(answers, "bean"))
                .as("seed %s", SEED)
                .isNotEmpty()
                .allMatch(each -> each.matches("checked [1-9][0-9,]* records of .*: equal"));
        assertThat(of(answers, "differing")).containsExactly("0");
        assertThat(of(answers, "property"))
                .isNotEmpty()
                .allMatch(each -> each.matches("checked [1-9][0-9,]* records of .*: equal"));
    }

    @Test
    void nothingIsCheckedUnasked() throws Exception {
        assertThat(answers("-Dflink.boost.records=on")).isEmpty();
    }
}
