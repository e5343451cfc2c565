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
        assertThat(of(answers, "begins")).as("what doctor takes for a check").containsExactly("");
        assertThat(of(answers, "bean"))
                .as("seed %s", SEED)
                .isNotEmpty()
                .allMatch(each -> each.matches("checked [1-9][0-9,]* records of .*: equal"));
        assertThat(of(answers, "differing")).containsExactly("0");
        assertThat(of(answers, "property"))
                .isNotEmpty()
                .allMatch(each -> each.matches("checked [1-9][0-9,]* records of .*: equal"));
    }

    /** As containers are started: a check may not fill the heap where the job itself does not. */
    @Test
    void aLargeRecordDoesNotEndTheProcess() throws Exception {
        List<String> options =
                List.of("-Dflink.boost.records=check", "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");
        ForkedJvm.Result result = ForkedJvm.run(options, LargeCheckedProbe.class);
        assertThat(result.code).as(result.output).isZero();
        assertThat(of(result.answers(), "read")).containsExactly(Integer.toString(60 << 20));
        assertThat(of(result.answers(), "property"))
                .singleElement()
                .asString()
                .endsWith("not 1 of more than 16 MB");
    }

    @Test
    void nothingIsCheckedUnasked() throws Exception {
        assertThat(answers("-Dflink.boost.records=on")).containsExactly("begins null");
    }
}
