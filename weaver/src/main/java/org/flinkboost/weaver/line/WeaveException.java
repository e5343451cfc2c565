// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

/** A patch cannot be applied exactly; the message names what was expected and what was found. */
public final class WeaveException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates it with a sentence for the person who runs the build. */
    public WeaveException(String message) {
        super(message);
    }

    /** Creates it with the failure underneath. */
    public WeaveException(String message, Throwable cause) {
        super(message, cause);
    }
}
