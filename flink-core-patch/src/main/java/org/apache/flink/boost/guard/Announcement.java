// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.boost.jdk.StringAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a mode once, in one line of the log. */
final class Announcement {

    private final BoostMode mode;
    private final AtomicBoolean told = new AtomicBoolean();

    Announcement(BoostMode mode) {
        this.mode = mode;
    }

    /** Without a logger, or with one that fails, nothing is said and strings are as they are. */
    void tell() {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        // A logger that is set up in an interrupted thread may be broken for good.
        boolean interrupted = Thread.interrupted();
        try {
            log(LoggerFactory.getLogger(BoostMode.class));
        } catch (LinkageError | RuntimeException ignored) {
            // It is a program that has no log.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Exactly one line, a warning where somebody should know and an error for a refusal. */
    void log(Logger log) {
        InternalError refusal = mode.refusal();
        if (refusal != null) {
            log.error(refusal.getMessage());
            return;
        }
        // Asked for only when it is in use: the look-up looks below the Java language.
        String access = mode.runs(Switches.STRINGS) ? "; " + StringAccess.describe() : "";
        String untried = mode.runs(Switches.STRINGS) ? Platform.current().describeUntried() : "";
        if (mode.isMissed() || !untried.isEmpty()) {
            log.warn(mode.describe() + access + untried);
        } else {
            log.info(mode.describe() + access);
        }
    }
}
