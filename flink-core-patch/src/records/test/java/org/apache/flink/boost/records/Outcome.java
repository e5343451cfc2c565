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
            text.append(steady(String.valueOf(each.getMessage())));
        }
        return text.toString();
    }

    /**
     * Without default texts and addresses. For a refused argument the JDK has three messages: by
     * whether it has generated code for the constructor, and which.
     */
    private static String steady(String message) {
        return message.replaceAll("(java.lang.ClassCastException)?@[0-9a-f]+", "@")
                .replaceAll("^(@|argument type mismatch|null)$", "refused")
                .replaceAll("pos: \\d{9,}", "pos: …");
    }
}
