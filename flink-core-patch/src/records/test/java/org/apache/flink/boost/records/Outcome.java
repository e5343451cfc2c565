// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

/** What a call came to, as text: a value, or exceptions with those inside them. */
final class Outcome {

    /** Something that may fail. */
    interface Call {
        String text() throws Throwable;
    }

    private Outcome() {}

    /** The call's text and the constructors it called, whatever becomes of it. */
    static String of(Call call) {
        String outcome;
        try {
            outcome = call.text();
        } catch (Throwable e) {
            outcome = chain(e);
        }
        return outcome + " made " + Witness.seen();
    }

    private static String chain(Throwable thrown) {
        StringBuilder text = new StringBuilder("threw");
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            text.append(" / ").append(each.getClass().getName()).append(": ");
            // The JDK puts one exception's default text into another's message.
            text.append(String.valueOf(each.getMessage()).replaceAll("@[0-9a-f]+", "@"));
        }
        return text.toString();
    }
}
