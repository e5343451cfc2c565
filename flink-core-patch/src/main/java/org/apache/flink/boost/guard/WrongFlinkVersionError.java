// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/**
 * The flink-boost jar is not made for the Flink it was put into; the message says what to do.
 *
 * <p>It is an {@link InternalError} because that is the kind of throwable which Flink's file system
 * set-up does not swallow: JobManager, TaskManager and client end at start.
 */
public final class WrongFlinkVersionError extends InternalError {

    private static final long serialVersionUID = 1L;

    public WrongFlinkVersionError(String message) {
        super(message);
    }
}
