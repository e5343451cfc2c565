// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Reads;
import org.flinkboost.weaver.patch.Writes;

/** The insides of a {@code StringValue}: its characters, in an array that may be longer. */
@Patches("org.apache.flink.types.StringValue")
public interface StringValueFields {

    /** The array; only the first {@link #boostLength} elements belong to the value. */
    @Reads("value")
    char[] boostChars();

    /** Replaces the array. */
    @Writes("value")
    void boostChars(char[] chars);

    /** Number of characters. After a failed read it may be negative or more than the array has. */
    @Reads("len")
    int boostLength();

    /** Sets the number of characters. */
    @Writes("len")
    void boostLength(int length);

    /** Sets the cached hash code; 0 means not computed. */
    @Writes("hashCode")
    void boostHashCode(int hashCode);
}
