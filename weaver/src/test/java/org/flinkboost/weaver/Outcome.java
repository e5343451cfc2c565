// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What a call of the weaver's command line did. */
record Outcome(int code, String out, String err) {

    static Outcome of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int code = commandLine.execute(arguments);
        return new Outcome(code, out.toString(), err.toString());
    }

    Outcome succeeds() {
        assertThat(err).isEmpty();
        assertThat(code).isZero();
        return this;
    }

    /** Exit code 1 and one sentence on stderr that holds all the given parts. */
    Outcome isRefusedWith(String... parts) {
        assertThat(err).startsWith("weaver: ").containsOnlyOnce("\n").contains(parts);
        assertThat(err.strip()).matches(".*[.?]");
        assertThat(out).isEmpty();
        assertThat(code).isEqualTo(1);
        return this;
    }
}
