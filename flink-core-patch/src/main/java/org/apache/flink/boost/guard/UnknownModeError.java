// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/**
 * A system property of ours, such as {@value BoostMode#PROPERTY}, has a value that means nothing.
 *
 * <p>Guessing would be wrong in both directions, so the process ends at start; see {@link
 * WrongFlinkVersionError} for why this is an {@link InternalError}.
 */
public final class UnknownModeError extends InternalError {

    private static final long serialVersionUID = 1L;

    public UnknownModeError(String message) {
        super(message);
    }
}
