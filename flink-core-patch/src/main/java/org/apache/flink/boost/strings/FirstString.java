// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import org.apache.flink.boost.codec.Chunk;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.jdk.ShortestStrings;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.woven.HandOver;

/**
 * What the first string of a process would initialise. Where it met a full heap or the end of the
 * stack, a class of ours would fail, and never come back for the strings of other jobs.
 */
public final class FirstString {

    /** Those with a static initialiser. */
    private static final Class<?>[] INITIALISED = {
        HandOver.class,
        OwnViews.class,
        StringReader.class,
        BulkTransfer.class,
        Chunk.class,
        LongText.class,
        ShortestStrings.class,
        StringAccess.class,
        WideArrays.class
    };

    private FirstString() {}

    /** Initialises all of it, and what the JDK needs for its handles. */
    public static void prepare() {
        try {
            for (Class<?> type : INITIALISED) {
                Class.forName(type.getName(), true, FirstString.class.getClassLoader());
            }
        } catch (ClassNotFoundException | LinkageError e) {
            // A view is missing, as where there is half a Flink: the first string tells it.
            return;
        }
        byte[] bytes = new byte[8];
        WideArrays.putLong(bytes, 0, WideArrays.getLong(bytes, 0));
        WideArrays.putInt(bytes, 0, WideArrays.getInt(bytes, 0));
        WideArrays.putChar(bytes, 0, 'a');
        if (StringAccess.OPENED && StringAccess.isAscii(bytes, 0, bytes.length)) {
            StringAccess.newString(StringAccess.value("a"), StringAccess.coder("a"));
        }
    }
}
