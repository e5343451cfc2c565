// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.options.Options;

/** Parameters reach JMH whole, and everything else as JMH reads it. */
class LauncherTest {

    @Test
    void aCommaBehindABackslashBelongsToTheValue() throws Exception {
        String[] arguments = {
            "^Some$", "-p", "shape=100\\,100ms\\,SSL", "-p", "size=8,16", "-f", "3", "-p", "kind=a"
        };
        Options options = Launcher.options(arguments);
        assertThat(options.getIncludes()).containsExactly("^Some$");
        assertThat(options.getForkCount().get()).isEqualTo(3);
        assertThat(options.getParameter("shape").get()).containsExactly("100,100ms,SSL");
        assertThat(options.getParameter("size").get()).containsExactly("8", "16");
        assertThat(options.getParameter("kind").get()).containsExactly("a");
    }
}
