// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.nio.file.NoSuchFileException;
import org.flinkboost.weaver.line.WeaveException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The weaver's command line; called by the build, {@code --help} lists the options. */
@Command(
        name = "weaver",
        description = "Turns official Flink jars and patches into a drop-in jar.",
        subcommands = {WeaveCommand.class, AssembleCommand.class},
        mixinStandardHelpOptions = true)
public final class Main {

    private Main() {}

    /**
     * Runs a subcommand and ends the process: 0 done, 1 a patch does not apply or a file is
     * missing, 2 the call is wrong.
     */
    public static void main(String[] args) {
        int code = commandLine().execute(args);
        if (code != 0) {
            System.exit(code);
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setExecutionExceptionHandler(
                        (exception, command, parsed) -> {
                            command.getErr().println("weaver: " + sentence(exception));
                            return 1;
                        });
    }

    private static String sentence(Exception exception) {
        if (exception instanceof NoSuchFileException) {
            return ((NoSuchFileException) exception).getFile() + " does not exist.";
        }
        // Other exceptions of the file system carry the reason in the type, not in the message.
        return exception instanceof WeaveException ? exception.getMessage() : exception.toString();
    }
}
