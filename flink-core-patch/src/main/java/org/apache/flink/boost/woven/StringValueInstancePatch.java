// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import org.apache.flink.boost.strings.StringCopier;
import org.apache.flink.boost.strings.StringValueReader;
import org.apache.flink.boost.strings.StringValueWriter;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/** The instance methods of {@code StringValue}: the length field is the plain length, no null. */
@Patches("org.apache.flink.types.StringValue")
public final class StringValueInstancePatch {

    private StringValueInstancePatch() {}

    /** Reads characters into the value's own array. */
    @Replaces(instance = true)
    public static boolean read(StringValue self, DataInputView in) throws IOException {
        return StringValueReader.read((StringValueFields) (Object) self, in);
    }

    /** Writes characters from the value's own array. */
    @Replaces(instance = true)
    public static boolean write(StringValue self, DataOutputView out) throws IOException {
        return StringValueWriter.write((StringValueFields) (Object) self, out);
    }

    /** Copies an encoded value as it is. */
    @Replaces(instance = true)
    public static boolean copy(StringValue self, DataInputView in, DataOutputView out)
            throws IOException {
        return StringCopier.copy(in, out, 0);
    }
}
