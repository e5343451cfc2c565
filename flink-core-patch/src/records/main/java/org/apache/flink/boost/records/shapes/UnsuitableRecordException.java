// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

/** Says why a class of records cannot take the fast way. */
public final class UnsuitableRecordException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String detail;

    UnsuitableRecordException(Reason reason, Class<?> type, String detail) {
        // Nobody reads the stack of a reason.
        super(
                type.getName() + " goes stock's way, because " + reason.sentence() + detail,
                null,
                false,
                false);
        this.reason = reason;
        this.detail = detail;
    }

    public Reason reason() {
        return reason;
    }

    /** The reason in words, with the field that it is about. */
    public String sentence() {
        return reason.sentence() + detail;
    }
}
