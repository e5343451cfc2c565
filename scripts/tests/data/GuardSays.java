// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.boost.guard.VersionGuard;

/** Prints what the check at the start of a process says, or the words with which it ends one. */
final class GuardSays {

    public static void main(String[] arguments) {
        try {
            System.out.println(VersionGuard.verdict());
        } catch (Error e) {
            System.out.println(e.getMessage());
        }
    }
}
